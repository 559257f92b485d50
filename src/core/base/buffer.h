// Cache-line-aligned arrays for large data. Large arrays request large pages: page faults would
// cost more than the parsing that fills them, and gathered rows of a large table would miss the
// page cache as often as the data cache.
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

inline constexpr std::size_t kBufferAlignment = 64;

/// Also usable as the allocator of a std::vector.
template <typename Element>
struct LargePageAllocator {
  using value_type = Element;

  LargePageAllocator() = default;
  template <typename Other>
  LargePageAllocator(const LargePageAllocator<Other>&) {}

  Element* allocate(std::size_t count) {
    constexpr std::size_t kLargePage = std::size_t{1} << 21;
    const std::size_t bytes = count * sizeof(Element);
    const bool is_large = bytes >= kLargePage;
    const std::size_t alignment = is_large ? kLargePage : kBufferAlignment;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* const memory = std::aligned_alloc(alignment, rounded);
    if (memory == nullptr && bytes > 0) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    if (is_large) ::madvise(memory, rounded, MADV_HUGEPAGE);
#endif
    return static_cast<Element*>(memory);
  }
  void deallocate(Element* memory, std::size_t) {
    std::free(memory);
  }

  bool operator==(const LargePageAllocator&) const = default;
};

/// A fixed-size array with uninitialised elements: it is not cleared first, so the threads that
/// fill it touch each page once, in parallel.
template <typename Element>
class Buffer {
  static_assert(std::is_trivially_copyable_v<Element>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) : size_(size) {
    if (size > 0) data_.reset(LargePageAllocator<Element>().allocate(size));
  }

  Element* data() { return data_.get(); }
  const Element* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  std::span<Element> span() { return {data(), size_}; }
  std::span<const Element> span() const { return {data(), size_}; }

 private:
  struct Free {
    void operator()(Element* memory) const { std::free(memory); }
  };
  std::unique_ptr<Element[], Free> data_;
  std::size_t size_ = 0;
};

/// The same, initialised to zeros.
template <typename Element>
class AlignedBuffer : public Buffer<Element> {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size) : Buffer<Element>(size) {
    // Also clear the rest of the last cache line, which kernels may read.
    const std::size_t lines = (size * sizeof(Element) + kBufferAlignment - 1) / kBufferAlignment;
    if (size > 0) std::memset(static_cast<void*>(this->data()), 0, lines * kBufferAlignment);
  }
};

}  // namespace cane
