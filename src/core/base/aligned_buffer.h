// An array on cache-line boundaries that starts as zeros. Large ones ask for huge pages: gathered
// rows of a large table otherwise miss the page cache as often as the data cache.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace cane {

template <typename T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size) : size_(size) {
    if (size == 0) return;
    const std::size_t alignment = size * sizeof(T) >= kHugePage ? kHugePage : kCacheLine;
    const std::size_t bytes = (size * sizeof(T) + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, bytes);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    if (alignment == kHugePage) ::madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    std::memset(memory, 0, bytes);
    data_.reset(static_cast<T*>(memory));
  }

  T* data() {
    return data_.get();
  }
  const T* data() const {
    return data_.get();
  }
  std::size_t size() const {
    return size_;
  }
  std::span<T> span() {
    return {data(), size_};
  }
  std::span<const T> span() const {
    return {data(), size_};
  }

 private:
  static constexpr std::size_t kCacheLine = 64;
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;

  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace cane
