// Which parts of an array may have been changed, by pages of a few cache lines. Threads mark pages
// while others do; no thread marks while pages are read or cleared.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cane {

class TouchedPages {
 public:
  /// Floats of a page: a row of weights of a few hundred features is a few pages.
  static constexpr std::size_t kPage = 256;

  explicit TouchedPages(std::size_t size) : size_(size), is_touched_((size + kPage - 1) / kPage) {}

  std::size_t size() const { return size_; }
  std::size_t pages() const { return is_touched_.size(); }
  std::size_t begin_of(std::size_t page) const { return page * kPage; }
  std::size_t end_of(std::size_t page) const { return std::min(size_, (page + 1) * kPage); }

  /// Marks the pages of elements [begin, end), which must not be empty.
  void touch(std::size_t begin, std::size_t end) {
    for (std::size_t page = begin / kPage; page <= (end - 1) / kPage; ++page) {
      is_touched_[page].store(1, std::memory_order_relaxed);
    }
  }
  void touch_all() { set_all(1); }
  void clear() { set_all(0); }

  bool is_touched(std::size_t page) const {
    return is_touched_[page].load(std::memory_order_relaxed) != 0;
  }
  /// Calls body(page) for each touched page, in order.
  template <typename Body>
  void for_each(const Body& body) const {
    for (std::size_t page = 0; page < pages(); ++page) {
      if (is_touched(page)) body(page);
    }
  }

 private:
  void set_all(std::uint8_t value) {
    for (auto& flag : is_touched_) flag.store(value, std::memory_order_relaxed);
  }

  std::size_t size_;
  std::vector<std::atomic<std::uint8_t>> is_touched_;
};

}  // namespace cane
