// The labels that go with a NumPy matrix: an integer array, or a text file with a label a line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/string_table.h"

namespace cane {

/// The label file of the matrix at `path`: the one named, else one beside it: a leading X becomes y
/// (X_train.npy -> y_train.npy), or NAME.labels.npy, or each of them as .txt. Empty if there is
/// none. `tried` lists the names looked for.
std::string find_label_file(const std::string& path, const std::string& named, std::string& tried);

struct RowLabels {
  StringTable names;
  std::vector<std::uint32_t> numbers;  // row -> name, StringTable::kNone: missing
};
RowLabels read_row_labels(const std::string& path);

}  // namespace cane
