// The labels of the rows of a matrix: an array of numbers or strings, or a text with a label a
// line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/string_table.h"
#include "core/parallel/communicator.h"
#include "data/npy/npy_array.h"

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
/// Those of the rows of this rank of the matrix `matrix`, which has so many, from a .npy file or a
/// plain text, of which each rank reads a part, or from a compressed text, which all read. Throws
/// Error, also if there are not as many labels. All ranks call it.
RowLabels read_row_labels(const std::string& path, const std::string& matrix, std::uint64_t rows,
                          const RowRange& range, Communicator& ranks);

/// The labels of a matrix: the file that was named, otherwise one next to the matrix. There a
/// leading X becomes y (X_train.npy -> y_train.npy), or NAME.labels.npy, or either of these as .txt
/// with one label per line. Empty if there is none; `tried` then lists the names tried.
std::string find_label_file(const std::string& path, const std::string& named, std::string& tried);

}  // namespace cane
