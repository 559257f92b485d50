// The change that a step makes to every weight of a table, as one plain array that is easy to
// compare with finite differences and plain loops.
#pragma once

#include <cstddef>
#include <vector>

#include "linear/weights/block_layout.h"
#include "train/steps/step_worker.h"

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

inline std::vector<double> dense_steps(const DenseSteps& gradient, const BlockLayout& layout) {
  std::vector<double> steps(layout.size(), 0.0);
  for (std::size_t e = 0; e < gradient.examples; ++e) {
    const float* inputs = gradient.inputs + e * gradient.inputs_pitch;
    for (NodeId k = 0; k < layout.node_bound(); ++k) {
      const auto step = static_cast<double>(gradient.steps[e * gradient.steps_pitch + k]);
      for (std::size_t i = 0; i < layout.pitch(); ++i) {
        steps[layout.offset(k) + i] += step * static_cast<double>(inputs[i]);
      }
    }
  }
  return steps;
}

}  // namespace cane::testing
