// Gradients of rows that stand there several times, summed up. Sizes do not depend on the data, and
// nothing waits for the device.
#pragma once

#include "lm/heads/output_layer.h"

namespace cane::lm {

/// As many places as before, the unused ones -1 with zeros.
RowGradient with_distinct_rows(const RowGradient& gradient);

}  // namespace cane::lm
