// Memory for large arrays. It asks the system for large pages, because page faults would cost more
// than the parsing, and nobody clears it first: whoever fills it touches each page once, in
// parallel.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace cane {

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
    const std::size_t alignment = is_large ? kLargePage : 64;
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

/// An array of fixed size whose elements start out undefined.
template <typename Element>
class Buffer {
  static_assert(std::is_trivial_v<Element>);

 public:
  explicit Buffer(std::size_t size)
      : data_(LargePageAllocator<Element>().allocate(size)), size_(size) {}

  Element* data() { return data_.get(); }
  std::size_t size() const { return size_; }
  std::span<const Element> span() const { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(Element* data) const { std::free(data); }
  };
  std::unique_ptr<Element, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace cane
