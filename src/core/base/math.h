// Sums of exponentials that do not overflow. Host and device.
#pragma once

#include <cmath>
#include <limits>

#include "core/base/host_device.h"

namespace cane {

/// log(e^a + e^b); minus infinity stands for nothing.
CANE_HOST_DEVICE inline float log_add_exp(float a, float b) {
  const float high = a > b ? a : b;
  const float low = a > b ? b : a;
  if (low == -std::numeric_limits<float>::infinity()) return high;
  return high + std::log1p(std::exp(low - high));
}

}  // namespace cane
