// What a learner asks of a device. A backend is a class with these members; HostBackend of
// the tests (tests/device) is the plainest one, CudaBackend (device/cuda) that of the GPU:
//
//   void* allocate(bytes)         zeroed memory; release(pointer), static, gives it back
//   void* allocate_shared(bytes)  memory of the host that copies read fast; release_shared, static
//   copy(to, from, bytes, way)    after everything queued before; waits
//   launch<kLanes>(items, f)      queues f(item, lanes) for each item: kLanes lanes share an item
//   multiply(Product)             queues a product of matrices
//   sort(keys, count, bound)      queues a stable sort of keys, as many as reserve_sort() had
//   begin_buffer, send, end_buffer  copies of a batch while the device works on the one before
//   buffer_used, wait_buffer      the device has read a buffer; the host waits for its copies
//   wait()                        until all is done
//
// Lanes are those of core/objective/lanes.h, and have sync(): a lane that reads what another one
// wrote calls it, sum() or max() before, together with all others.
#pragma once

#include <cstdint>
#include <utility>

namespace cane::device {

/// Lanes for an item of some hundred operations, and for one of many thousands.
inline constexpr std::uint32_t kFewLanes = 32;
inline constexpr std::uint32_t kManyLanes = 256;

enum class Copy { kToDevice, kToHost };

/// C[m, n] = alpha op(A)[m, k] op(B)[k, n] + beta C, all in row-major order.
struct Product {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t k = 0;
  float alpha = 1.0F;
  const float* a = nullptr;
  std::uint64_t a_pitch = 0;
  bool transposes_a = false;  // A is stored as [k, m]
  const float* b = nullptr;
  std::uint64_t b_pitch = 0;
  bool transposes_b = false;  // B is stored as [n, k]
  float beta = 0.0F;
  float* c = nullptr;
  std::uint64_t c_pitch = 0;
};

/// Keys in ascending order, equal ones in their own order.
struct Sorted {
  const std::uint32_t* keys = nullptr;
  const std::uint32_t* order = nullptr;  // where they were
  std::uint64_t count = 0;
};

/// An array in the memory of a device, or with `kIsShared` in memory of the host; null if empty.
template <typename T, bool kIsShared = false>
class Array {
 public:
  Array() = default;
  template <typename Backend>
  Array(Backend& backend, std::uint64_t count) : size_(count) {
    if (count == 0) return;
    if constexpr (kIsShared) {
      data_ = static_cast<T*>(backend.allocate_shared(count * sizeof(T)));
      release_ = &Backend::release_shared;
    } else {
      data_ = static_cast<T*>(backend.allocate(count * sizeof(T)));
      release_ = &Backend::release;
    }
  }
  Array(Array&& other) noexcept { *this = std::move(other); }
  Array& operator=(Array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(release_, other.release_);
    return *this;
  }
  ~Array() {
    if (data_ != nullptr) release_(data_);
  }

  T* data() const { return data_; }
  std::uint64_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::uint64_t size_ = 0;
  void (*release_)(void*) = nullptr;
};

}  // namespace cane::device
