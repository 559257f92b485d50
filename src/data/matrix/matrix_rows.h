// Rows of a matrix that has to be converted: a dense array of any type and order, or SciPy's
// compressed sparse rows or columns.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "data/matrix/npy_array.h"

namespace cane {

class MatrixRows {
 public:
  virtual ~MatrixRows() = default;

  /// Rows and columns.
  virtual std::vector<std::uint64_t> shape() const = 0;
  virtual bool is_dense() const = 0;
  /// Values that a row has at most, on average: for the size of blocks.
  virtual std::uint64_t values_per_row() const = 0;
  /// Appends the features of a row that are not zero, in increasing order. Thread-safe.
  virtual void append(std::uint64_t row, std::vector<FeatureId>& features,
                      std::vector<double>& values) const = 0;
};

std::unique_ptr<MatrixRows> dense_rows(NpyArray matrix);

/// SciPy's sparse matrix, as scipy.sparse.save_npz writes it: `members` by their names without
/// ".npy". `name` identifies it in messages. Throws Error.
std::unique_ptr<MatrixRows> sparse_rows(const std::string& name,
                                        std::map<std::string, NpyArray>& members);

}  // namespace cane
