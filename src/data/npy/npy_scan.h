// Looks for values that training cannot use: NaN, infinity, or more than a float holds.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/thread_pool.h"
#include "data/npy/npy_array.h"
#include "data/rows/dataset_view.h"

namespace cane {

struct BadValue {
  std::uint64_t row = 0;
  std::uint64_t column = 0;
  double value = 0.0;
};

/// The first bad value of each row that has one, in the order of rows. `first_only`: the first row
/// is surely among them, others may be missing. The matrix is one of rows and columns.
std::vector<BadValue> find_bad_rows(const NpyArray& matrix, ElementType type, bool first_only,
                                    ThreadPool& pool);

}  // namespace cane
