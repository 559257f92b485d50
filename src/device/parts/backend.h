// What a learner asks of a device. A backend is a class with these members; HostBackend
// (device/host) is the plainest one, CudaBackend (device/cuda) that of the GPU:
//
//   void* allocate(bytes)         zeroed memory; release(pointer), static, gives it back
//   void* allocate_shared(bytes)  memory of the host that copies read fast; release_shared, static
//   copy_in, copy_out             rows of numbers, after everything queued before; they wait
//   launch<Spread>(items, f)      queues f(item, lanes) for each item
//   multiply(Product)             queues a product of matrices
//   reserve_sort(count)           makes room to sort this many keys
//   sort(keys, count, bound)      queues a stable sort of keys; the result lies in `sorted()`
//   send_arguments(to, bytes)     queues a copy of what was written to arguments(bytes)
//   begin_buffer, send, end_buffer  copies of a streamed batch, during the step before
//   repeat(key, body)             queues what body queues; may record it once and repeat it
//   wait()                        until all is done
#pragma once

#include <cstdint>
#include <utility>

namespace cane::device {

/// How many lanes an item gets: a warp, for items of some hundred operations, or a block.
enum class Spread { kWarp, kBlock };

/// C[m, n] = alpha op(A)[m, k] op(B)[k, n] + beta C, all in row-major order. alpha and beta lie in
/// the memory of the device.
struct Product {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t k = 0;
  const float* alpha = nullptr;
  const float* a = nullptr;
  std::uint64_t a_pitch = 0;
  bool transposes_a = false;  // A is stored as [k, m]
  const float* b = nullptr;
  std::uint64_t b_pitch = 0;
  bool transposes_b = false;  // B is stored as [n, k]
  const float* beta = nullptr;
  float* c = nullptr;
  std::uint64_t c_pitch = 0;
};

/// An array in the memory of a device.
template <typename T>
class Array {
 public:
  Array() = default;
  template <typename Backend>
  Array(Backend& backend, std::uint64_t count)
      : data_(static_cast<T*>(backend.allocate(count * sizeof(T)))),
        size_(count),
        release_(&Backend::release) {}
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Array() {
    if (data_ != nullptr) release_(data_);
  }

  T* data() const { return data_; }
  std::uint64_t size() const { return size_; }

 private:
  void swap(Array& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(release_, other.release_);
  }

  T* data_ = nullptr;
  std::uint64_t size_ = 0;
  void (*release_)(void*) = nullptr;
};

/// Copies all of an array of the host.
template <typename Backend, typename T>
Array<T> copied(Backend& backend, const T* from, std::uint64_t count) {
  Array<T> array(backend, count);
  backend.copy_in(array.data(), count, from, count, count, 1);
  return array;
}

}  // namespace cane::device
