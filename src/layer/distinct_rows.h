// Sums the gradients of repeated rows. Sizes do not depend on the data, and nothing waits for the
// device.
#pragma once

#include "layer/row_gradient.h"

namespace cane::layer {

/// The result has as many places as the input; unused ones have row -1 and zeros.
RowGradient with_distinct_rows(const RowGradient& gradient);

}  // namespace cane::layer
