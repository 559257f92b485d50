#include "data/npy/row_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "cane/error.h"
#include "data/text/block_reader.h"
#include "data/text/number.h"

namespace cane {
namespace {

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

RowLabels read_text(const std::string& path) {
  RowLabels rows;
  rows.source = path;
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

std::string RowLabels::missing_text(std::uint64_t row) const {
  return fmt::format("{}:{}: there is no label; write a label in each line", source, row + 1);
}

RowLabels labels_of_array(const NpyArray& array) {
  if (array.shape().size() != 1) {
    throw Error(
        fmt::format("{}: labels must be an array of one dimension; save y.ravel()", array.name()));
  }
  RowLabels rows;
  rows.source = array.name();
  rows.numbers.reserve(array.size());
  for (std::uint64_t row = 0; row < array.size(); ++row) {
    const std::string text = array.text(row);
    rows.numbers.push_back(text.empty() ? StringTable::kNone : rows.names.find_or_add(text));
  }
  return rows;
}

RowLabels read_row_labels(const std::string& path) {
  return is_npy(path) ? labels_of_array(NpyArray(path)) : read_text(path);
}

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

}  // namespace cane
