// Sums the gradients of repeated rows. Sizes do not depend on the data, and nothing waits for the
// device.
#pragma once

#include <torch/types.h>

namespace cane::layer {

// The gradient of a table of which a step touches few rows: these rows alone.

/// Rows [R] (int64) of a table and the gradient of each [R, width]. The gradients of a repeated row
/// add up. A row of -1 is an unused place, whose gradient is zero.
struct RowGradient {
  torch::Tensor table;
  torch::Tensor rows;
  torch::Tensor values;
  bool distinct = false;  // no row stands there twice
};

/// The result has as many places as the input; unused ones have row -1 and zeros.
RowGradient with_distinct_rows(const RowGradient& gradient);

}  // namespace cane::layer
