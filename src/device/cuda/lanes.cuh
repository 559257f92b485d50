// Lanes of the GPU (device/backend.h): the threads of a warp, or of a block of whole warps.
#pragma once

#include <cstdint>

namespace cane::device {

inline constexpr std::uint32_t kWarp = 32;

/// `scratch` is shared memory for a float of each warp, if there are several.
template <std::uint32_t kLanes>
struct GroupLanes {
  float* scratch;

  __device__ static std::uint32_t lane() { return threadIdx.x % kLanes; }
  __device__ std::uint32_t from(std::uint32_t begin) const {
    return begin + (lane() + kLanes - begin % kLanes) % kLanes;
  }
  __device__ std::uint32_t stride() const { return kLanes; }
  __device__ bool owns(std::uint32_t place) const { return place % kLanes == lane(); }
  __device__ void sync() const {
    if constexpr (kLanes == kWarp) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }
  __device__ float sum(float value) const {
    return reduce(value, [](float a, float b) { return a + b; });
  }
  __device__ float max(float value) const {
    return reduce(value, [](float a, float b) { return fmaxf(a, b); });
  }

 private:
  template <typename Combine>
  __device__ float reduce(float value, const Combine& combine) const {
    sync();
    for (std::uint32_t offset = kWarp / 2; offset > 0; offset /= 2) {
      value = combine(value, __shfl_xor_sync(0xFFFFFFFFU, value, offset));
    }
    if constexpr (kLanes == kWarp) return value;
    if (threadIdx.x % kWarp == 0) scratch[threadIdx.x / kWarp] = value;
    __syncthreads();
    float all = scratch[0];
    for (std::uint32_t warp = 1; warp < kLanes / kWarp; ++warp) all = combine(all, scratch[warp]);
    __syncthreads();
    return all;
  }
};

}  // namespace cane::device
