// Lanes that share the work on one item, as the objectives take them (core/objective/lanes.h), with
// what selecting and drawing need in addition. A lane that reads what another one wrote calls
// sync() before; all lanes call sync(), sum(), max() and running_sum() together.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"
#include "core/objective/lanes.h"

namespace cane::device {

/// The sums over the lanes before this one, and with it. Counts are exact below 2^24; sums of other
/// numbers are rounded in an order that differs from lane to lane, and need not ascend.
struct RunningSum {
  float before;
  float through;
};

/// The only lane of an item on the host.
struct OneLane : SerialLanes {
  CANE_HOST_DEVICE void sync() const {}
  CANE_HOST_DEVICE RunningSum running_sum(float value) const { return {0.0F, value}; }
};

/// Whether a position in the sum of all lanes is this lane's: for exactly one lane with a positive
/// value it is, however the sums are rounded. All lanes call it together.
template <typename Lanes>
CANE_HOST_DEVICE bool holds_position(float position, float value, const RunningSum& sum,
                                     const Lanes& lanes) {
  const std::uint32_t lane = lanes.from(0);
  const std::uint32_t reached = value > 0.0F && position < sum.through ? lanes.stride() - lane : 0;
  const std::uint32_t first = lanes.max(reached);
  const std::uint32_t last = lanes.max(value > 0.0F ? lane + 1 : 0U);
  return first > 0 ? reached == first : value > 0.0F && lane + 1 == last;
}

/// The part of `count` places that belongs to a lane if each takes a contiguous one.
struct Chunk {
  std::uint32_t begin;
  std::uint32_t end;
};

template <typename Lanes>
CANE_HOST_DEVICE Chunk chunk_of(std::uint32_t count, const Lanes& lanes) {
  const std::uint32_t size = (count + lanes.stride() - 1) / lanes.stride();
  const std::uint32_t begin = lanes.from(0) * size;
  return {begin < count ? begin : count, begin + size < count ? begin + size : count};
}

}  // namespace cane::device
