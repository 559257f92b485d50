// Whether all of many numbers are finite, at the speed of the memory: no branch and no sum of
// floats, whose order a compiler must keep.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace cane {

inline bool all_finite(std::span<const float> values) {
  constexpr std::uint32_t kExponent = 0x7F80'0000;
  std::uint32_t bad = 0;
  for (const float value : values) {
    bad |= (std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent ? 1U : 0U;
  }
  return bad == 0;
}

}  // namespace cane
