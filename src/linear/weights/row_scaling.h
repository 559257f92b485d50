// Features on one scale: each is divided by the largest absolute value that training saw of it, so
// that steps on all weights can be of one size. A feature that training never saw counts nothing.
// Over an encoder there are no factors: rows stay as they are.
#pragma once

#include <span>
#include <vector>

#include "core/base/row_view.h"

namespace cane {

class RowScaling {
 public:
  /// `factors`: what a feature is multiplied with, or none. They must outlive this.
  explicit RowScaling(std::span<const float> factors) : factors_(factors) {}

  /// The values are written to `scratch`; valid as long as they stay there.
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
