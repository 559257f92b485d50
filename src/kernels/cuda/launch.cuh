// Shared parts of the kernels: grids, checks, and the lanes of a block (objective/lanes.h).
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace cane::kernels::cuda {

inline constexpr int kWarp = 32;
inline constexpr int kMaxThreads = 256;

inline void check_launch(const char* kernel) {
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  throw std::runtime_error(std::string(kernel) + ": " + cudaGetErrorString(error));
}

inline unsigned blocks_for(std::int64_t items, std::int64_t per_block) {
  return static_cast<unsigned>((items + per_block - 1) / per_block);
}

/// Number of threads, in whole warps, for this many items; at most kMaxThreads.
inline unsigned threads_for(std::int64_t items) {
  const std::int64_t warps = (std::max<std::int64_t>(items, 1) + kWarp - 1) / kWarp;
  return static_cast<unsigned>(std::min<std::int64_t>(warps * kWarp, kMaxThreads));
}

__device__ inline float warp_sum(float value) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xFFFFFFFFU, value, offset);
  }
  return value;
}

/// The threads of a block, which consists of whole warps. sum() and max() are barriers; both use
/// `scratch`, shared memory for one value per warp.
struct BlockLanes {
  float* scratch;

  __device__ std::uint32_t from(std::uint32_t begin) const {
    return begin + (threadIdx.x + blockDim.x - begin % blockDim.x) % blockDim.x;
  }
  __device__ std::uint32_t stride() const { return blockDim.x; }
  __device__ bool owns(std::uint32_t place) const { return place % blockDim.x == threadIdx.x; }

  __device__ float sum(float value) const {
    return reduce(warp_sum(value), [](float a, float b) { return a + b; });
  }
  __device__ float max(float value) const {
    for (int offset = kWarp / 2; offset > 0; offset /= 2) {
      value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFFU, value, offset));
    }
    return reduce(value, [](float a, float b) { return fmaxf(a, b); });
  }
  /// Exact below 2^24.
  __device__ std::uint32_t max(std::uint32_t value) const {
    return static_cast<std::uint32_t>(max(static_cast<float>(value)));
  }

 private:
  template <typename Combine>
  __device__ float reduce(float value, const Combine& combine) const {
    if (threadIdx.x % kWarp == 0) scratch[threadIdx.x / kWarp] = value;
    __syncthreads();
    float all = scratch[0];
    for (unsigned warp = 1; warp < blockDim.x / kWarp; ++warp) all = combine(all, scratch[warp]);
    __syncthreads();
    return all;
  }
};

}  // namespace cane::kernels::cuda
