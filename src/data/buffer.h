// An array that nobody clears first: whoever fills it touches each page once, in parallel. Large
// ones ask the system for large pages, because page faults would cost more than the copying.
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
class Buffer {
  static_assert(std::is_trivial_v<Element>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) : size_(size) {
    constexpr std::size_t kLargePage = std::size_t{1} << 21;
    const std::size_t bytes = size * sizeof(Element);
    const bool is_large = bytes >= 2 * kLargePage;
    const std::size_t alignment = is_large ? kLargePage : 64;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    data_.reset(static_cast<Element*>(std::aligned_alloc(alignment, rounded)));
    if (!data_ && bytes > 0) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    if (is_large) ::madvise(data_.get(), rounded, MADV_HUGEPAGE);
#endif
  }

  Element* data() {
    return data_.get();
  }
  std::size_t size() const {
    return size_;
  }
  std::span<const Element> span() const {
    return {data_.get(), size_};
  }

 private:
  struct Free {
    void operator()(Element* data) const { std::free(data); }
  };
  std::unique_ptr<Element, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace cane
