// The gradient of a table of which a step touches few rows: these rows alone.
#pragma once

#include <torch/types.h>

namespace cane::layer {

/// Rows [R] (int64) of a table and the gradient of each [R, width]. The gradients of a repeated row
/// add up. A row of -1 is an unused place, whose gradient is zero.
struct RowGradient {
  torch::Tensor table;
  torch::Tensor rows;
  torch::Tensor values;
  bool distinct = false;  // no row stands there twice
};

}  // namespace cane::layer
