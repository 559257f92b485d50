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

}  // namespace cane::kernels
