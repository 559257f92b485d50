// The backend of an NVIDIA GPU (device/backend.h): kernels of the functors, products by cuBLAS in
// TF32 with sums in float32, sorts by CUB. Nothing in a step waits for the host.
#pragma once

#include <cub/device/device_radix_sort.cuh>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "device/backend.h"
#include "device/cuda/check.h"
#include "device/cuda/lanes.cuh"
#include "device/learner_on.h"

namespace cane::device {

inline constexpr std::uint32_t kBlock = 256;

template <std::uint32_t kLanes, typename Functor>
__global__ void kernel(std::int64_t items, Functor functor) {
  __shared__ float scratch[kBlock / kWarp];
  const std::int64_t item = std::int64_t{blockIdx.x} * (kBlock / kLanes) + threadIdx.x / kLanes;
  if (item < items) functor(item, GroupLanes<kLanes>{scratch});
}

__global__ static void count_up(std::uint32_t* values, std::uint32_t count) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = i;
}

class CudaBackend {
 public:
  explicit CudaBackend(int device) : device_(device) {
    use_device();
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    check(cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking), "cudaStreamCreate");
    check(cublasCreate(&cublas_), "cublasCreate");
    check(cublasSetStream(cublas_, stream_), "cublasSetStream");
    check(cublasSetMathMode(cublas_, CUBLAS_TF32_TENSOR_OP_MATH), "cublasSetMathMode");
    check(cudaMalloc(&workspace_, kWorkspace), "cudaMalloc");
    // With a workspace of its own cuBLAS gives the same bits every time.
    check(cublasSetWorkspace(cublas_, workspace_, kWorkspace), "cublasSetWorkspace");
    for (Buffer& buffer : buffers_) {
      check(cudaEventCreateWithFlags(&buffer.copied, cudaEventDisableTiming), "cudaEventCreate");
      check(cudaEventCreateWithFlags(&buffer.used, cudaEventDisableTiming), "cudaEventCreate");
    }
  }
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;
  ~CudaBackend() {
    cudaSetDevice(device_);
    cudaStreamSynchronize(copies_);
    cudaStreamSynchronize(stream_);
    for (const Buffer& buffer : buffers_) {
      cudaEventDestroy(buffer.copied);
      cudaEventDestroy(buffer.used);
    }
    cudaFree(sort_memory_);
    cublasDestroy(cublas_);
    cudaFree(workspace_);
    cudaStreamDestroy(copies_);
    cudaStreamDestroy(stream_);
  }

  void* allocate(std::uint64_t bytes) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes), "cudaMalloc");
    check(cudaMemsetAsync(memory, 0, bytes, stream_), "cudaMemsetAsync");
    return memory;
  }
  static void release(void* memory) { cudaFree(memory); }
  void* allocate_shared(std::uint64_t bytes) {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, bytes), "cudaMallocHost");
    return memory;
  }
  static void release_shared(void* memory) { cudaFreeHost(memory); }

  void copy(void* to, const void* from, std::uint64_t bytes, Copy way) {
    if (bytes == 0) return;
    use_device();
    check(cudaMemcpyAsync(to, from, bytes,
                          way == Copy::kToDevice ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost,
                          stream_),
          "cudaMemcpyAsync");
    wait();
  }

  template <std::uint32_t kLanes, typename Functor>
  void launch(std::uint64_t items, const Functor& functor) {
    static_assert(kLanes == kWarp || kLanes == kBlock);
    if (items == 0) return;
    constexpr std::uint64_t kItems = kBlock / kLanes;
    const std::uint64_t blocks = (items + kItems - 1) / kItems;
    if (blocks > std::uint64_t{std::numeric_limits<int>::max()}) {
      throw std::runtime_error("a step has too many parts for a GPU; take a smaller `batch`");
    }
    kernel<kLanes><<<static_cast<unsigned>(blocks), kBlock, 0, stream_>>>(
        static_cast<std::int64_t>(items), functor);
    check(cudaGetLastError(), "a kernel");
  }

  void multiply(const Product& product) {
    const auto size = [](std::uint64_t number) { return static_cast<int>(number); };
    // cuBLAS counts columns first: it computes the transpose of everything.
    check(cublasSgemm(cublas_, product.transposes_b ? CUBLAS_OP_T : CUBLAS_OP_N,
                      product.transposes_a ? CUBLAS_OP_T : CUBLAS_OP_N, size(product.n),
                      size(product.m), size(product.k), &product.alpha, product.b,
                      size(product.b_pitch), product.a, size(product.a_pitch), &product.beta,
                      product.c, size(product.c_pitch)),
          "cublasSgemm");
  }

  /// Memory used in addition to the arrays: the workspace of cuBLAS, and what the driver takes when
  /// kernels are loaded.
  static constexpr std::uint64_t kWorkspace = std::uint64_t{32} << 20;
  static constexpr std::uint64_t kOwnBytes = kWorkspace + (std::uint64_t{256} << 20);
  /// No less than sorting takes; CUB says exactly how much only where a GPU is.
  static std::uint64_t sort_bytes(std::uint64_t count) {
    constexpr std::uint64_t kOfLibrary = std::uint64_t{4} << 20;
    return 7 * part_bytes(count) + kOfLibrary;
  }
  void reserve_sort(std::uint64_t count) {
    if (count >= std::uint64_t{1} << 31) {
      throw std::runtime_error("a step has too many values to sort; take a smaller `batch`");
    }
    sorted_ = count;
    library_bytes_ = library_bytes(count);
    check(cudaMalloc(&sort_memory_, 3 * part_bytes(count) + library_bytes_), "cudaMalloc");
  }
  Sorted sort(const std::uint32_t* keys, std::uint64_t count, std::uint64_t bound) {
    if (count == 0) return {};
    auto* const memory = static_cast<std::byte*>(sort_memory_);
    const std::uint64_t part = part_bytes(sorted_);
    auto* const numbers = reinterpret_cast<std::uint32_t*>(memory);
    auto* const sorted_keys = reinterpret_cast<std::uint32_t*>(memory + part);
    auto* const order = reinterpret_cast<std::uint32_t*>(memory + 2 * part);
    const auto entries = static_cast<unsigned>(count);
    count_up<<<(entries + kBlock - 1) / kBlock, kBlock, 0, stream_>>>(numbers, entries);
    check(cudaGetLastError(), "a kernel");
    int bits = 1;
    while (bits < 32 && (std::uint64_t{1} << bits) < bound) ++bits;
    std::size_t bytes = library_bytes_;
    check(cub::DeviceRadixSort::SortPairs(memory + 3 * part, bytes, keys, sorted_keys, numbers,
                                          order, static_cast<int>(count), 0, bits, stream_),
          "a sort");
    return {sorted_keys, order, count};
  }

  void begin_buffer(std::uint32_t slot) {
    use_device();
    check(cudaStreamWaitEvent(copies_, buffers_[slot].used), "cudaStreamWaitEvent");
  }
  void send(void* to, const void* from, std::uint64_t bytes) {
    if (bytes == 0) return;
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, copies_), "cudaMemcpyAsync");
  }
  void end_buffer(std::uint32_t slot) {
    check(cudaEventRecord(buffers_[slot].copied, copies_), "cudaEventRecord");
    check(cudaStreamWaitEvent(stream_, buffers_[slot].copied), "cudaStreamWaitEvent");
  }
  void buffer_used(std::uint32_t slot) {
    check(cudaEventRecord(buffers_[slot].used, stream_), "cudaEventRecord");
  }
  void wait_buffer(std::uint32_t slot) {
    check(cudaEventSynchronize(buffers_[slot].copied), "cudaEventSynchronize");
  }
  void wait() {
    check(cudaStreamSynchronize(copies_), "a copy");
    check(cudaStreamSynchronize(stream_), "a step");
  }

 private:
  struct Buffer {
    cudaEvent_t copied = nullptr;
    cudaEvent_t used = nullptr;
  };

  // The device of a thread is its own, and any may call.
  void use_device() { check(cudaSetDevice(device_), "cudaSetDevice"); }

  static std::uint64_t part_bytes(std::uint64_t count) {
    constexpr std::uint64_t kUnit = 256;
    return (count * sizeof(std::uint32_t) + kUnit - 1) / kUnit * kUnit;
  }
  static std::uint64_t library_bytes(std::uint64_t count) {
    std::size_t bytes = 0;
    const std::uint32_t* in = nullptr;
    std::uint32_t* out = nullptr;
    check(
        cub::DeviceRadixSort::SortPairs(nullptr, bytes, in, out, in, out, static_cast<int>(count)),
        "a sort");
    return bytes;
  }

  int device_;
  cudaStream_t stream_ = nullptr;
  cudaStream_t copies_ = nullptr;
  cublasHandle_t cublas_ = nullptr;
  void* workspace_ = nullptr;
  void* sort_memory_ = nullptr;
  std::uint64_t sorted_ = 0;
  std::size_t library_bytes_ = 0;
  Buffer buffers_[kBuffers];
};

}  // namespace cane::device
