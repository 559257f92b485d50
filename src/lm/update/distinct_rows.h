// Sums the gradients of repeated rows. Sizes do not depend on the data, and nothing waits for the
// device.
#pragma once

#include "lm/heads/output_layer.h"

namespace cane::lm {

/// The result has as many places as the input; unused ones have row -1 and zeros.
RowGradient with_distinct_rows(const RowGradient& gradient);

}  // namespace cane::lm
