// The change that a step makes to every weight of a table, as one plain array that is easy to
// compare with finite differences and plain loops.
#pragma once

#include <cstddef>
#include <vector>

#include "linear/weights/block_layout.h"
#include "step/step_worker.h"

namespace cane::testing {

/// Minus the gradient, in the layout's order.
inline std::vector<double> dense_steps(const TableGradient& gradient, const BlockLayout& layout) {
  std::vector<double> steps(layout.size(), 0.0);
  const auto parts = gradient.parts->parts();
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const RowView& row = gradient.rows[parts[p].example];
    const std::size_t stride = layout.shape(parts[p].node).stride;
    double* block = steps.data() + layout.offset(parts[p].node);
    for (std::size_t c = 0; c < stride; ++c) {
      const auto step = static_cast<double>(gradient.parts->steps(p)[c]);
      for (std::uint32_t i = 0; i < row.count; ++i) {
        const std::size_t feature = row.indices == nullptr ? i : row.indices[i];
        block[feature * stride + c] += step * static_cast<double>(row.values[i]);
      }
      block[layout.dimension() * stride + c] += step;
    }
  }
  return steps;
}

}  // namespace cane::testing
