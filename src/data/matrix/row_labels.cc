#include "data/matrix/row_labels.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <system_error>

#include "cane/error.h"
#include "core/file/text_source.h"
#include "data/text/block_reader.h"
#include "data/text/csv_record.h"
#include "data/text/number.h"

namespace cane {
namespace {

void check_number(const std::string& path, std::uint64_t labels, const std::string& matrix,
                  std::uint64_t rows) {
  if (labels == rows) return;
  throw Error(fmt::format("{}: {} labels for the {} rows of {}; give one label for each row", path,
                          labels, rows, matrix));
}

/// A label a line. All lines are counted, those of the range are kept.
RowLabels labels_of_text(const std::string& path, const std::string& matrix, std::uint64_t rows,
                         const RowRange& range) {
  RowLabels labels;
  labels.source = path;
  std::uint64_t line = 0;
  std::uint64_t with_labels = 0;  // lines up to the last that is not blank
  BlockReader reader(open_text(path), {});
  for (TextBlock block; reader.next(block);) {
    for (std::string_view rest = block.text; !rest.empty(); ++line) {
      const std::string_view label = without_blanks(take_record(rest, '\0'));
      if (!label.empty()) with_labels = line + 1;
      if (line < range.begin || line >= range.end) continue;
      labels.numbers.push_back(label.empty() ? StringTable::kNone
                                             : labels.names.find_or_add(label));
    }
    if (block.long_line_follows) {
      throw Error(fmt::format("{}:{}: the line is too long for a label; write a label a line", path,
                              line + 1));
    }
  }
  if (const std::string damage = reader.damage(); !damage.empty()) {
    throw Error(fmt::format("{}:{}: {}; get the file again", path, line + 1, damage));
  }
  check_number(path, with_labels, matrix, rows);
  return labels;
}

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

std::string RowLabels::missing_text(std::uint64_t row) const {
  return fmt::format("{}:{}: there is no label; write a label in each line", source, row + 1);
}

RowLabels labels_of_array(const NpyArray& array) {
  return labels_of_rows(array, {0, array.size()});
}

RowLabels labels_beside(const std::string& path, std::uint64_t rows, const RowRange& range,
                        const DataOptions& options) {
  std::string tried;
  const std::string labels_path = find_label_file(path, options.labels_path, tried);
  if (!labels_path.empty()) {
    if (!is_npy(labels_path)) return labels_of_text(labels_path, path, rows, range);
    const NpyArray array(labels_path);
    if (array.shape().size() == 1) check_number(labels_path, array.size(), path, rows);
    return labels_of_rows(array, range);
  }
  if (options.require_labels) {
    throw Error(fmt::format(
        "{}: no labels found beside it (tried {}); name the file with `labels_path`", path, tried));
  }
  return {{}, std::vector<std::uint32_t>(range.size(), StringTable::kNone), {}};
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
