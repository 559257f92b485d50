// Lanes of the GPU (device/plain/lanes.h): the threads of a warp, or of a block of whole warps.
#pragma once

#include <cstdint>

#include "device/plain/lanes.h"

namespace cane::device {

inline constexpr unsigned kWarpLanes = 32;
inline constexpr unsigned kBlockLanes = 256;
inline constexpr unsigned kAllLanes = 0xFFFFFFFFU;

__device__ inline float warp_max(float value) {
  for (unsigned offset = kWarpLanes / 2; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, offset));
  }
  return value;
}

__device__ inline float warp_sum(float value) {
  for (unsigned offset = kWarpLanes / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(kAllLanes, value, offset);
  }
  return value;
}

/// The sum up to and with this lane.
__device__ inline float warp_inclusive_sum(float value, unsigned lane) {
  for (unsigned offset = 1; offset < kWarpLanes; offset *= 2) {
    const float before = __shfl_up_sync(kAllLanes, value, offset);
    if (lane >= offset) value += before;
  }
  return value;
}

struct WarpLanes {
  __device__ static unsigned lane() { return threadIdx.x % kWarpLanes; }

  __device__ std::uint32_t from(std::uint32_t begin) const {
    return begin + (lane() + kWarpLanes - begin % kWarpLanes) % kWarpLanes;
  }
  __device__ std::uint32_t stride() const { return kWarpLanes; }
  __device__ bool owns(std::uint32_t place) const { return place % kWarpLanes == lane(); }
  __device__ void sync() const { __syncwarp(); }

  __device__ float sum(float value) const { return warp_sum(value); }
  __device__ float max(float value) const { return warp_max(value); }
  __device__ std::uint32_t max(std::uint32_t value) const {
    for (unsigned offset = kWarpLanes / 2; offset > 0; offset /= 2) {
      const std::uint32_t other = __shfl_xor_sync(kAllLanes, value, offset);
      value = other > value ? other : value;
    }
    return value;
  }
  __device__ RunningSum running_sum(float value) const {
    const float through = warp_inclusive_sum(value, lane());
    const float before = __shfl_up_sync(kAllLanes, through, 1);
    return {lane() == 0 ? 0.0F : before, through};
  }
};

/// `scratch` is shared memory for a float of each warp.
struct BlockLanes {
  float* scratch;

  __device__ std::uint32_t from(std::uint32_t begin) const {
    return begin + (threadIdx.x + kBlockLanes - begin % kBlockLanes) % kBlockLanes;
  }
  __device__ std::uint32_t stride() const { return kBlockLanes; }
  __device__ bool owns(std::uint32_t place) const { return place % kBlockLanes == threadIdx.x; }
  __device__ void sync() const { __syncthreads(); }

  __device__ float sum(float value) const {
    return reduce(warp_sum(value), [](float a, float b) { return a + b; });
  }
  __device__ float max(float value) const {
    return reduce(warp_max(value), [](float a, float b) { return fmaxf(a, b); });
  }
  /// Exact below 2^24.
  __device__ std::uint32_t max(std::uint32_t value) const {
    return static_cast<std::uint32_t>(max(static_cast<float>(value)));
  }
  __device__ RunningSum running_sum(float value) const {
    const unsigned lane = threadIdx.x % kWarpLanes;
    const unsigned warp = threadIdx.x / kWarpLanes;
    const float through = warp_inclusive_sum(value, lane);
    if (lane == kWarpLanes - 1) scratch[warp] = through;
    __syncthreads();
    float before_warp = 0.0F;
    for (unsigned i = 0; i < warp; ++i) before_warp += scratch[i];
    __syncthreads();
    const float before = __shfl_up_sync(kAllLanes, before_warp + through, 1);
    return {lane == 0 ? before_warp : before, before_warp + through};
  }

 private:
  template <typename Combine>
  __device__ float reduce(float value, const Combine& combine) const {
    if (threadIdx.x % kWarpLanes == 0) scratch[threadIdx.x / kWarpLanes] = value;
    __syncthreads();
    float all = scratch[0];
    for (unsigned warp = 1; warp < kBlockLanes / kWarpLanes; ++warp) {
      all = combine(all, scratch[warp]);
    }
    __syncthreads();
    return all;
  }
};

}  // namespace cane::device
