// Numbers of a table that are stored as float32 or as bfloat16 and read as float. Host and device.
#pragma once

#include <bit>
#include <cstdint>

#include "core/base/host_device.h"

namespace cane::kernels {

/// Exactly one of the pointers is set, unless there is no table. Both do not own the numbers.
struct Numbers {
  const float* floats = nullptr;
  const std::uint16_t* bfloats = nullptr;

  Numbers() = default;
  // A table of floats is what most callers have.
  CANE_HOST_DEVICE Numbers(const float* numbers) : floats(numbers) {}  // NOLINT
  CANE_HOST_DEVICE explicit Numbers(const std::uint16_t* numbers) : bfloats(numbers) {}

  CANE_HOST_DEVICE Numbers operator+(std::int64_t offset) const {
    return floats != nullptr ? Numbers(floats + offset) : Numbers(bfloats + offset);
  }
  CANE_HOST_DEVICE float operator[](std::int64_t i) const {
    return floats != nullptr ? floats[i] : widened(bfloats[i]);
  }
  CANE_HOST_DEVICE static float widened(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
  }
};

// Rounding of weights that are stored as bfloat16 (numbers.h), the upper half of a float. An update
// is often smaller than half the distance between two of them, and rounding to the nearest would
// lose it every time; rounding up or down at random, in proportion to the distances, keeps it in
// expectation. Host and device.

/// The random bits are a pure function of the weight's place and the step (the finaliser of
/// MurmurHash3), so that CPU and GPU round the same way.
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
