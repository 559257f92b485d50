#include "data/npy/npy_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>

#include "cane/error.h"
#include "core/base/bad_line.h"
#include "data/npy/npy_array.h"
#include "data/text/block_reader.h"
#include "data/text/number.h"

namespace cane {
namespace {

template <typename Integer>
RowLabels read_integers(const NpyArray& array) {
  RowLabels rows;
  const auto* const values = reinterpret_cast<const Integer*>(array.data().data());
  rows.numbers.reserve(array.shape()[0]);
  for (std::uint64_t row = 0; row < array.shape()[0]; ++row) {
    char text[24];
    const auto end = std::to_chars(std::begin(text), std::end(text), values[row]).ptr;
    rows.numbers.push_back(rows.names.find_or_add({text, static_cast<std::size_t>(end - text)}));
  }
  return rows;
}

RowLabels read_array(const std::string& path) {
  const NpyArray array(path);
  if (array.shape().size() != 1) {
    throw Error(fmt::format("{}: labels must be an array of one dimension; save y.ravel()", path));
  }
  const std::string_view type = std::string_view(array.type()).substr(1);
  if (type == "i1") return read_integers<std::int8_t>(array);
  if (type == "u1") return read_integers<std::uint8_t>(array);
  if (type == "i2") return read_integers<std::int16_t>(array);
  if (type == "u2") return read_integers<std::uint16_t>(array);
  if (type == "i4") return read_integers<std::int32_t>(array);
  if (type == "u4") return read_integers<std::uint32_t>(array);
  if (type == "i8") return read_integers<std::int64_t>(array);
  if (type == "u8") return read_integers<std::uint64_t>(array);
  throw Error(fmt::format(
      "{}: labels of type {} are not read; save y.astype('int64'), or a text file with a label a "
      "line",
      path, in_quotes(array.type())));
}

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

RowLabels read_text(const std::string& path) {
  RowLabels rows;
  BlockReader reader(open_text(path), {});
  TextBlock block;
  while (reader.next(block)) {
    std::string_view rest = block.text;
    while (!rest.empty()) {
      const std::size_t length = std::min(rest.find('\n'), rest.size());
      const std::string_view label = trimmed(rest.substr(0, length));
      rest.remove_prefix(std::min(length + 1, rest.size()));
      rows.numbers.push_back(label.empty() ? StringTable::kNone : rows.names.find_or_add(label));
    }
    if (block.long_line_follows) {
      throw Error(fmt::format("{}:{}: the line is too long for a label; write a label a line", path,
                              rows.numbers.size() + 1));
    }
  }
  if (const std::string damage = reader.damage(); !damage.empty()) {
    throw Error(
        fmt::format("{}:{}: {}; get the file again", path, rows.numbers.size() + 1, damage));
  }
  while (!rows.numbers.empty() && rows.numbers.back() == StringTable::kNone) {
    rows.numbers.pop_back();
  }
  return rows;
}

}  // namespace

std::string find_label_file(const std::string& path, const std::string& named, std::string& tried) {
  if (!named.empty()) return named;
  const std::filesystem::path matrix(path);
  const std::string stem = matrix.stem().string();
  std::vector<std::string> names;
  if (stem.starts_with('X')) names.push_back(fmt::format("y{}", stem.substr(1)));
  names.push_back(stem + ".labels");
  for (const std::string& name : names) {
    for (const char* const ending : {".npy", ".txt"}) {
      std::string candidate = (matrix.parent_path() / (name + ending)).string();
      std::error_code ignored;
      if (std::filesystem::exists(candidate, ignored)) return candidate;
      tried += fmt::format("{}{}{}", tried.empty() ? "" : ", ", name, ending);
    }
  }
  return {};
}

RowLabels read_row_labels(const std::string& path) {
  return is_npy(path) ? read_array(path) : read_text(path);
}

}  // namespace cane
