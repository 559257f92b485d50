// Rounding of weights that are stored as bfloat16 (numbers.h), the upper half of a float. An update
// is often smaller than half the distance between two of them, and rounding to the nearest would
// lose it every time; rounding up or down at random, in proportion to the distances, keeps it in
// expectation. Host and device.
#pragma once

#include <bit>
#include <cstdint>

#include "core/base/host_device.h"

namespace cane::kernels {

/// The random bits are a pure function of the weight's place and the step (the finaliser of
/// MurmurHash3), so that CPU and GPU round alike.
CANE_HOST_DEVICE inline std::uint16_t rounded_at_random(float value, std::int64_t place,
                                                        std::int64_t step) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  // Adding to an infinity or a NaN would make another number of it.
  constexpr std::uint32_t kExponent = 0x7F800000U;
  if ((bits & kExponent) == kExponent) {
    const bool is_nan = (bits & 0x007FFFFFU) != 0;
    return static_cast<std::uint16_t>((bits >> 16) | (is_nan ? 0x0040U : 0U));
  }
  std::uint64_t hash =
      static_cast<std::uint64_t>(place) * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(step);
  hash = (hash ^ (hash >> 33)) * 0xFF51AFD7ED558CCDU;
  hash = (hash ^ (hash >> 33)) * 0xC4CEB9FE1A85EC53U;
  return static_cast<std::uint16_t>((bits + static_cast<std::uint32_t>(hash >> 48)) >> 16);
}

}  // namespace cane::kernels
