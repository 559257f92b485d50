// How many lanes share the work of an objective on one shortlist. On the CPU one lane does it all;
// on a GPU each thread of a warp or a block takes every stride-th position. The objectives are
// written once over such a policy: a lane reads and writes only the positions that it owns, and all
// lanes call sum() and max() together, which return the sum or maximum over all lanes. Scores and
// gradient may therefore be the same array.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"

namespace cane {

/// One lane that owns every position.
struct SerialLanes {
  /// The first position of this lane at or after `begin`; the next ones are stride() apart.
  CANE_HOST_DEVICE constexpr std::uint32_t from(std::uint32_t begin) const { return begin; }
  CANE_HOST_DEVICE constexpr std::uint32_t stride() const { return 1; }
  CANE_HOST_DEVICE constexpr bool owns(std::uint32_t /*place*/) const { return true; }
  CANE_HOST_DEVICE constexpr float sum(float value) const { return value; }
  CANE_HOST_DEVICE constexpr float max(float value) const { return value; }
  CANE_HOST_DEVICE constexpr std::uint32_t max(std::uint32_t value) const { return value; }
};

}  // namespace cane
