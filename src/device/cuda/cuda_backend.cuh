// The backend of an NVIDIA GPU (device/parts/backend.h): kernels of the plain functors, products by
// cuBLAS in TF32 with sums in float32, sorts by CUB. A step is recorded as a CUDA graph when it is
// queued for the second time, so that repeating it is one launch; nothing in it waits for the host.
#pragma once

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <cstdint>
#include <map>

#include "device/cuda/check.h"
#include "device/cuda/lanes.cuh"
#include "device/parts/backend.h"
#include "device/plain/entries.h"

namespace cane::device {

inline constexpr unsigned kWarpsPerBlock = kBlockLanes / kWarpLanes;

template <typename Functor>
__global__ void warp_kernel(std::int64_t items, Functor functor) {
  const std::int64_t item = std::int64_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  if (item < items) functor(item, WarpLanes{});
}

template <typename Functor>
__global__ void block_kernel(Functor functor) {
  __shared__ float scratch[kWarpsPerBlock];
  functor(std::int64_t{blockIdx.x}, BlockLanes{scratch});
}

__global__ static void count_up_kernel(std::uint32_t* values, std::uint32_t count) {
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
    check(cublasSetPointerMode(cublas_, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
    check(cublasSetMathMode(cublas_, CUBLAS_TF32_TENSOR_OP_MATH), "cublasSetMathMode");
    check(cudaMalloc(&workspace_, kWorkspace), "cudaMalloc");
    // With a workspace of its own cuBLAS can be recorded, and gives the same bits every time.
    check(cublasSetWorkspace(cublas_, workspace_, kWorkspace), "cublasSetWorkspace");
    for (Buffer& buffer : buffers_) {
      check(cudaEventCreateWithFlags(&buffer.copied, cudaEventDisableTiming), "cudaEventCreate");
      check(cudaEventCreateWithFlags(&buffer.used, cudaEventDisableTiming), "cudaEventCreate");
    }
    for (ArgumentSlot& slot : slots_) {
      check(cudaEventCreateWithFlags(&slot.sent, cudaEventDisableTiming), "cudaEventCreate");
    }
  }
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;
  ~CudaBackend() {
    cudaSetDevice(device_);
    cudaStreamSynchronize(copies_);
    cudaStreamSynchronize(stream_);
    for (const auto& [key, graph] : graphs_) {
      if (graph != nullptr) cudaGraphExecDestroy(graph);
    }
    for (const Buffer& buffer : buffers_) {
      cudaEventDestroy(buffer.copied);
      cudaEventDestroy(buffer.used);
    }
    for (const ArgumentSlot& slot : slots_) {
      cudaEventDestroy(slot.sent);
      cudaFreeHost(slot.memory);
    }
    cudaFree(sort_memory_);
    cublasDestroy(cublas_);
    cudaFree(workspace_);
    cudaStreamDestroy(copies_);
    cudaStreamDestroy(stream_);
  }

  void* allocate(std::uint64_t bytes) {
    if (bytes == 0) return nullptr;
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes), "cudaMalloc");
    check(cudaMemset(memory, 0, bytes), "cudaMemset");
    return memory;
  }
  static void release(void* memory) { cudaFree(memory); }
  void* allocate_shared(std::uint64_t bytes) {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, std::max<std::uint64_t>(bytes, 1)), "cudaMallocHost");
    return memory;
  }
  static void release_shared(void* memory) { cudaFreeHost(memory); }

  template <typename T>
  void copy_in(T* to, std::uint64_t to_pitch, const T* from, std::uint64_t from_pitch,
               std::uint64_t columns, std::uint64_t rows) {
    copy(to, to_pitch, from, from_pitch, columns, rows, cudaMemcpyHostToDevice);
  }
  template <typename T>
  void copy_out(T* to, std::uint64_t to_pitch, const T* from, std::uint64_t from_pitch,
                std::uint64_t columns, std::uint64_t rows) {
    copy(to, to_pitch, from, from_pitch, columns, rows, cudaMemcpyDeviceToHost);
  }

  template <Spread kSpread, typename Functor>
  void launch(std::uint64_t items, const Functor& functor) {
    if (items == 0) return;
    constexpr std::uint64_t kMaxBlocks = (std::uint64_t{1} << 31) - 1;
    const std::uint64_t blocks =
        kSpread == Spread::kWarp ? (items + kWarpsPerBlock - 1) / kWarpsPerBlock : items;
    if (blocks > kMaxBlocks) {
      throw std::runtime_error("a step has too many parts for a GPU; take a smaller `batch`");
    }
    if constexpr (kSpread == Spread::kWarp) {
      warp_kernel<<<static_cast<unsigned>(blocks), kBlockLanes, 0, stream_>>>(
          static_cast<std::int64_t>(items), functor);
    } else {
      block_kernel<<<static_cast<unsigned>(blocks), kBlockLanes, 0, stream_>>>(functor);
    }
    check(cudaGetLastError(), "a kernel");
  }

  void multiply(const Product& product) {
    const auto size = [](std::uint64_t number) { return static_cast<int>(number); };
    // cuBLAS counts columns first: it computes the transpose of everything.
    check(cublasSgemm(cublas_, product.transposes_b ? CUBLAS_OP_T : CUBLAS_OP_N,
                      product.transposes_a ? CUBLAS_OP_T : CUBLAS_OP_N, size(product.n),
                      size(product.m), size(product.k), product.alpha, product.b,
                      size(product.b_pitch), product.a, size(product.a_pitch), product.beta,
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
    return count == 0 ? 0 : 7 * part_bytes(count) + kOfLibrary;
  }
  void reserve_sort(std::uint64_t count) {
    if (count <= sorted_) return;
    if (count >= std::uint64_t{1} << 31) {
      throw std::runtime_error("a step has too many rows to sort; take a smaller `batch`");
    }
    check(cudaFree(sort_memory_), "cudaFree");
    sort_memory_ = nullptr;
    check(cudaMalloc(&sort_memory_, 3 * part_bytes(count) + library_bytes(count)), "cudaMalloc");
    sorted_ = count;
  }
  SortedEntries sort(const std::uint32_t* keys, std::uint64_t count, std::uint64_t bound) {
    auto* memory = static_cast<std::byte*>(sort_memory_);
    const std::uint64_t part = part_bytes(sorted_);
    auto* numbers = reinterpret_cast<std::uint32_t*>(memory);
    auto* sorted_keys = reinterpret_cast<std::uint32_t*>(memory + part);
    auto* order = reinterpret_cast<std::uint32_t*>(memory + 2 * part);
    const auto entries = static_cast<unsigned>(count);
    count_up_kernel<<<(entries + kBlockLanes - 1) / kBlockLanes, kBlockLanes, 0, stream_>>>(
        numbers, entries);
    check(cudaGetLastError(), "a kernel");
    // Unused keys have all bits set, and so come last.
    int bits = 1;
    while (bits < 32 && (std::uint64_t{1} << bits) <= bound) ++bits;
    std::size_t bytes = library_bytes(sorted_);
    check(cub::DeviceRadixSort::SortPairs(memory + 3 * part, bytes, keys, sorted_keys, numbers,
                                          order, static_cast<int>(count), 0, bits, stream_),
          "a sort");
    return {sorted_keys, order, entries};
  }

  void* arguments(std::uint64_t bytes) {
    use_device();
    slot_ = (slot_ + 1) % kSlots;
    ArgumentSlot& slot = slots_[slot_];
    check(cudaEventSynchronize(slot.sent), "cudaEventSynchronize");
    if (slot.bytes < bytes) {
      check(cudaFreeHost(slot.memory), "cudaFreeHost");
      slot.memory = nullptr;
      check(cudaMallocHost(&slot.memory, bytes), "cudaMallocHost");
      slot.bytes = bytes;
    }
    return slot.memory;
  }
  void send_arguments(void* to, std::uint64_t bytes) {
    check(cudaMemcpyAsync(to, slots_[slot_].memory, bytes, cudaMemcpyHostToDevice, stream_),
          "cudaMemcpyAsync");
    check(cudaEventRecord(slots_[slot_].sent, stream_), "cudaEventRecord");
  }

  void begin_buffer(std::uint32_t slot) {
    use_device();
    check(cudaStreamWaitEvent(copies_, buffers_[slot].used), "cudaStreamWaitEvent");
  }
  template <typename T>
  void send(T* to, const T* from, std::uint64_t count) {
    check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyHostToDevice, copies_),
          "cudaMemcpyAsync");
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

  template <typename Body>
  void repeat(std::uint32_t key, const Body& body) {
    const auto [found, is_new] = graphs_.try_emplace(key, nullptr);
    // The first time loads the kernels, which a recording does not allow.
    if (is_new) return body();
    if (found->second != nullptr) {
      check(cudaGraphLaunch(found->second, stream_), "cudaGraphLaunch");
      return;
    }
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture");
    cudaGraph_t graph = nullptr;
    try {
      body();
    } catch (...) {
      cudaStreamEndCapture(stream_, &graph);
      cudaGraphDestroy(graph);
      throw;
    }
    check(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
    cudaGraphExec_t made = nullptr;
    const cudaError_t error = cudaGraphInstantiate(&made, graph, 0);
    cudaGraphDestroy(graph);
    check(error, "cudaGraphInstantiate");
    found->second = made;
    check(cudaGraphLaunch(made, stream_), "cudaGraphLaunch");
  }
  void wait() {
    check(cudaStreamSynchronize(copies_), "a copy");
    check(cudaStreamSynchronize(stream_), "a step");
  }

 private:
  // Steps that may be queued before the host waits for the first of them.
  static constexpr std::uint32_t kSlots = 64;
  static constexpr std::uint32_t kStreamed = 2;

  struct ArgumentSlot {
    void* memory = nullptr;
    std::uint64_t bytes = 0;
    cudaEvent_t sent = nullptr;
  };
  struct Buffer {
    cudaEvent_t copied = nullptr;
    cudaEvent_t used = nullptr;
  };

  // The device of a thread is its own, and any may call.
  void use_device() { check(cudaSetDevice(device_), "cudaSetDevice"); }

  template <typename T>
  void copy(T* to, std::uint64_t to_pitch, const T* from, std::uint64_t from_pitch,
            std::uint64_t columns, std::uint64_t rows, cudaMemcpyKind kind) {
    if (rows == 0 || columns == 0) return;
    use_device();
    if (to_pitch == columns && from_pitch == columns) {
      check(cudaMemcpyAsync(to, from, rows * columns * sizeof(T), kind, stream_),
            "cudaMemcpyAsync");
    } else {
      check(cudaMemcpy2DAsync(to, to_pitch * sizeof(T), from, from_pitch * sizeof(T),
                              columns * sizeof(T), rows, kind, stream_),
            "cudaMemcpy2DAsync");
    }
    wait();
  }

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
  ArgumentSlot slots_[kSlots];
  std::uint32_t slot_ = 0;
  Buffer buffers_[kStreamed];
  std::map<std::uint32_t, cudaGraphExec_t> graphs_;
};

}  // namespace cane::device
