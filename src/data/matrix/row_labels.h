// The labels of the rows of a matrix: an array of numbers or strings, or a text with a label a
// line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cane/data_options.h"
#include "core/base/string_table.h"
#include "data/matrix/npy_array.h"

namespace cane {

/// Rows [begin, end) of a matrix.
struct RowRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t size() const { return end - begin; }
};

/// Of some consecutive rows.
struct RowLabels {
  StringTable names;
  std::vector<std::uint32_t> numbers;  // row -> name, StringTable::kNone: missing
  std::string source;                  // where they are from, for messages

  /// What to say of a row without one.
  std::string missing_text(std::uint64_t row) const;
};

/// Throws Error.
RowLabels labels_of_array(const NpyArray& array);
/// Those of some rows of the matrix `path`, which has `rows`, from a .npy file or a text beside it.
/// Without one they are missing, or that is an Error if labels are required; so is a file of more
/// or fewer labels.
RowLabels labels_beside(const std::string& path, std::uint64_t rows, const RowRange& range,
                        const DataOptions& options);

/// The labels of a matrix: the file that was named, otherwise one next to the matrix. There a
/// leading X becomes y (X_train.npy -> y_train.npy), or NAME.labels.npy, or either of these as .txt
/// with one label per line. Empty if there is none; `tried` then lists the names tried.
std::string find_label_file(const std::string& path, const std::string& named, std::string& tried);

}  // namespace cane
