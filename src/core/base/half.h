// IEEE 754 binary16, a storage type for the weights of a model. Kernels widen it to float.
#pragma once

#include <bit>
#include <cstdint>

namespace cane {

struct Half {
  std::uint16_t bits;
};

/// The largest finite value.
inline constexpr float kLargestHalf = 65504.0F;

/// Rounds to nearest, ties to even; values that are too large become infinite.
inline Half to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  const auto with_sign = [&](std::uint32_t half) {
    return Half{static_cast<std::uint16_t>(sign | half)};
  };
  if (magnitude > 0x7F800000U) return with_sign(0x7E00U);   // NaN
  if (magnitude >= 0x477FF000U) return with_sign(0x7C00U);  // rounds to more than the largest
  if (magnitude < 0x38800000U) {
    // Below the normal numbers halves are multiples of 2^-24: adding 2^-1 leaves just these bits.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return with_sign(std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0.5F));
  }
  const std::uint32_t odd = (magnitude >> 13) & 1U;
  return with_sign((magnitude - 0x38000000U + 0xFFFU + odd) >> 13);
}

/// The conversion is exact.
inline float to_float(Half half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000U) << 16;
  const std::uint32_t magnitude = half.bits & 0x7FFFU;
  if (magnitude >= 0x7C00U) {
    return std::bit_cast<float>(sign | 0x7F800000U | (magnitude & 0x3FFU) << 13);
  }
  if (magnitude < 0x400U) {
    const float value = static_cast<float>(magnitude) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000U));
}

}  // namespace cane
