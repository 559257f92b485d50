// The best of many values: finds the value that just so many reach, bit by bit from the top, and
// then lists those that reach it. Ties go to the lower place; the list ascends. Any number of lanes
// gives the same result.
#pragma once

#include <cstdint>
#include <cstring>

#include "device/plain/lanes.h"

namespace cane::device {

/// A number that orders as the float does.
CANE_HOST_DEVICE inline std::uint32_t order_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

/// Writes the places of the `keep` best of `count` values, keep <= count < 2^24.
template <typename Lanes>
CANE_HOST_DEVICE void select_best(const float* values, std::uint32_t count, std::uint32_t keep,
                                  std::uint32_t* places, const Lanes& lanes) {
  const auto count_from = [&](std::uint32_t least) {
    float reach = 0.0F;
    for (std::uint32_t i = lanes.from(0); i < count; i += lanes.stride()) {
      reach += order_of(values[i]) >= least ? 1.0F : 0.0F;
    }
    return static_cast<std::uint32_t>(lanes.sum(reach));
  };
  std::uint32_t least = 0;
  for (std::uint32_t bit = 0x80000000U; bit != 0; bit >>= 1) {
    if (count_from(least | bit) >= keep) least |= bit;
  }
  const std::uint32_t above = least == 0xFFFFFFFFU ? 0 : count_from(least + 1);
  const std::uint32_t equal = keep - above;

  const Chunk own = chunk_of(count, lanes);
  float better = 0.0F;
  float ties = 0.0F;
  for (std::uint32_t i = own.begin; i < own.end; ++i) {
    const std::uint32_t order = order_of(values[i]);
    better += order > least ? 1.0F : 0.0F;
    ties += order == least ? 1.0F : 0.0F;
  }
  auto better_before = static_cast<std::uint32_t>(lanes.running_sum(better).before);
  auto ties_before = static_cast<std::uint32_t>(lanes.running_sum(ties).before);
  for (std::uint32_t i = own.begin; i < own.end; ++i) {
    const std::uint32_t order = order_of(values[i]);
    if (order < least) continue;
    const std::uint32_t taken = ties_before < equal ? ties_before : equal;
    if (order > least) {
      places[better_before++ + taken] = i;
    } else if (ties_before++ < equal) {
      places[better_before + taken] = i;
    }
  }
  lanes.sync();
}

}  // namespace cane::device
