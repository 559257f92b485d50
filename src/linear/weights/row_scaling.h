// Feature scaling: each feature is divided by the largest absolute value seen in training, so that
// the same step size suits all weights. A feature never seen in training is scaled to zero. With an
// encoder there are no factors, and rows are left unchanged.
#pragma once

#include <span>
#include <vector>

#include "core/base/row_view.h"

namespace cane {

class RowScaling {
 public:
  /// `factors`: one multiplier per feature, or empty. They must outlive this.
  explicit RowScaling(std::span<const float> factors) : factors_(factors) {}

  /// Writes the values to `scratch`; the result is valid as long as they stay there.
  RowView scale(const RowView& row, std::vector<float>& scratch) const {
    if (factors_.empty()) return row;
    if (scratch.size() < row.count) scratch.resize(row.count);
    for (std::uint32_t p = 0; p < row.count; ++p) {
      scratch[p] = row.values[p] * factors_[row.indices == nullptr ? p : row.indices[p]];
    }
    return {row.indices, scratch.data(), row.count};
  }

 private:
  std::span<const float> factors_;
};

}  // namespace cane
