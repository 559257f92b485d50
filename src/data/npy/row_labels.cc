#include "data/npy/row_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "cane/error.h"
#include "core/file/cache_source.h"
#include "core/file/file_range.h"
#include "core/parallel/packing.h"
#include "data/npy/npy.h"
#include "data/text/block_reader.h"
#include "data/text/number.h"

namespace cane {
namespace {

constexpr std::uint64_t kNoLine = std::numeric_limits<std::uint64_t>::max();

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

/// The lines of a text, or of a part of it.
RowLabels read_lines(const std::string& path, std::unique_ptr<TextSource> source,
                     std::uint64_t& long_line) {
  RowLabels rows;
  rows.source = path;
  BlockReader reader(std::move(source), {});
  TextBlock block;
  while (long_line == kNoLine && reader.next(block)) {
    std::string_view rest = block.text;
    while (!rest.empty()) {
      const std::size_t length = std::min(rest.find('\n'), rest.size());
      const std::string_view label = trimmed(rest.substr(0, length));
      rest.remove_prefix(std::min(length + 1, rest.size()));
      rows.numbers.push_back(label.empty() ? StringTable::kNone : rows.names.find_or_add(label));
    }
    if (block.long_line_follows) long_line = rows.numbers.size();
  }
  if (const std::string damage = reader.damage(); !damage.empty()) {
    throw Error(
        fmt::format("{}:{}: {}; get the file again", path, rows.numbers.size() + 1, damage));
  }
  return rows;
}

/// How many lines there are up to the last that is not blank.
std::uint64_t lines_with_labels(const RowLabels& rows) {
  std::uint64_t count = rows.numbers.size();
  while (count > 0 && rows.numbers[count - 1] == StringTable::kNone) --count;
  return count;
}

void check_lines(const std::string& path, std::uint64_t long_line) {
  if (long_line == kNoLine) return;
  throw Error(fmt::format("{}:{}: the line is too long for a label; write a label a line", path,
                          long_line + 1));
}

void check_number(const std::string& path, std::uint64_t labels, const std::string& matrix,
                  std::uint64_t rows) {
  if (labels == rows) return;
  throw Error(fmt::format("{}: {} labels for the {} rows of {}; give one label for each row", path,
                          labels, rows, matrix));
}

/// All labels, of which some rows are kept.
RowLabels read_whole(const std::string& path, const std::string& matrix, std::uint64_t rows,
                     const RowRange& range) {
  std::uint64_t long_line = kNoLine;
  RowLabels labels = read_lines(path, open_text(path), long_line);
  check_lines(path, long_line);
  check_number(path, lines_with_labels(labels), matrix, rows);
  const auto at = [&](std::uint64_t row) {
    return labels.numbers.begin() + static_cast<std::ptrdiff_t>(row);
  };
  labels.numbers = std::vector(at(range.begin), at(range.end));
  return labels;
}

/// What the other ranks must know of the lines that a rank has read.
struct LinesRead {
  std::uint64_t lines = 0;
  std::uint64_t with_labels = 0;  // up to the last that is not blank
  std::uint64_t long_line = kNoLine;
  RowRange rows;  // that it needs the labels of
};

/// Each rank reads a part of a plain text. Only all of them together know the numbers of its lines,
/// so labels then go to the ranks that have their rows.
RowLabels read_shared(const std::string& path, const std::string& matrix, std::uint64_t rows,
                      const RowRange& range, Communicator& ranks) {
  const std::uint64_t bytes = stamp_of(path).value_or(FileStamp{}).bytes;
  const RowRange even = share_of_rows(bytes, ranks);  // as many bytes for each
  const FileRange part = {line_start(path, even.begin),
                          even.end == bytes ? bytes : line_start(path, even.end)};
  LinesRead own = {.rows = range};
  const RowLabels read = read_lines(path, open_range(path, part), own.long_line);
  own.lines = read.numbers.size();
  own.with_labels = lines_with_labels(read);
  std::uint64_t first = 0;  // of the lines of this rank
  std::uint64_t lines = 0;
  std::uint64_t with_labels = 0;
  const std::vector<LinesRead> all = ranks.all_gather_value(own);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (rank == static_cast<std::size_t>(ranks.rank())) first = lines;
    if (all[rank].long_line != kNoLine) check_lines(path, lines + all[rank].long_line);
    if (all[rank].with_labels > 0) with_labels = lines + all[rank].with_labels;
    lines += all[rank].lines;
  }
  check_number(path, with_labels, matrix, rows);
  std::vector<Bytes> outgoing(all.size());
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const std::uint64_t begin = std::max(first, all[rank].rows.begin);
    const std::uint64_t end = std::min(first + own.lines, all[rank].rows.end);
    for (std::uint64_t row = begin; row < end; ++row) {
      const std::uint32_t name = read.numbers[row - first];
      pack_text(name == StringTable::kNone ? std::string_view() : read.names[name], outgoing[rank]);
    }
  }
  RowLabels labels;
  labels.source = path;
  for (const Bytes& texts : ranks.all_to_all(std::move(outgoing))) {
    for_each_text(texts, [&](std::string_view label) {
      labels.numbers.push_back(label.empty() ? StringTable::kNone
                                             : labels.names.find_or_add(label));
    });
  }
  return labels;
}

}  // namespace

std::string RowLabels::missing_text(std::uint64_t row) const {
  return fmt::format("{}:{}: there is no label; write a label in each line", source, row + 1);
}

namespace {

RowLabels labels_of_rows(const NpyArray& array, const RowRange& range) {
  if (array.shape().size() != 1) {
    throw Error(
        fmt::format("{}: labels must be an array of one dimension; save y.ravel()", array.name()));
  }
  RowLabels rows;
  rows.source = array.name();
  rows.numbers.reserve(range.size());
  for (std::uint64_t row = range.begin; row < range.end; ++row) {
    const std::string text = array.text(row);
    rows.numbers.push_back(text.empty() ? StringTable::kNone : rows.names.find_or_add(text));
  }
  return rows;
}

}  // namespace

RowLabels labels_of_array(const NpyArray& array) {
  return labels_of_rows(array, {0, array.size()});
}

RowLabels read_row_labels(const std::string& path, const std::string& matrix, std::uint64_t rows,
                          const RowRange& range, Communicator& ranks) {
  if (is_npy(path)) {
    const NpyArray array(path);
    if (array.shape().size() == 1) check_number(path, array.size(), matrix, rows);
    return labels_of_rows(array, range);
  }
  const bool is_shared = !ranks.is_alone() && compression_of(path).empty();
  return is_shared ? read_shared(path, matrix, rows, range, ranks)
                   : read_whole(path, matrix, rows, range);
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
