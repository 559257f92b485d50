// The n-grams of a block of text, by their hashes, numbered in the order they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace cane {

class NgramNumbers {
 public:
  std::uint32_t find_or_add(std::uint64_t hash) {
    if (2 * hashes_.size() >= slots_.size()) grow();
    std::size_t slot = slot_of(hash);
    for (; slots_[slot] != kEmpty; slot = (slot + 1) & (slots_.size() - 1)) {
      if (hashes_[slots_[slot]] == hash) return slots_[slot];
    }
    slots_[slot] = static_cast<std::uint32_t>(hashes_.size());
    hashes_.push_back(hash);
    return slots_[slot];
  }

  /// Number -> hash.
  const std::vector<std::uint64_t>& hashes() const { return hashes_; }
  /// The same, moved out; the object is empty then.
  std::vector<std::uint64_t> take() { return std::exchange(*this, {}).hashes_; }

 private:
  static constexpr std::uint32_t kEmpty = std::numeric_limits<std::uint32_t>::max();

  std::size_t slot_of(std::uint64_t hash) const { return hash & (slots_.size() - 1); }
  void grow() {
    constexpr std::size_t kFirst = 64;
    slots_.assign(slots_.empty() ? kFirst : 2 * slots_.size(), kEmpty);
    for (std::uint32_t number = 0; number < hashes_.size(); ++number) {
      std::size_t slot = slot_of(hashes_[number]);
      while (slots_[slot] != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = number;
    }
  }

  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_;  // a power of two, at most half of them taken
};

}  // namespace cane
