// Strings numbered in the order they were added: an open-addressing hash table over one arena of
// bytes, so that a lookup allocates nothing and a new string costs no allocation of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace cane {

class StringTable {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
  /// Valid until the next string is added.
  std::string_view operator[](std::uint32_t id) const {
    const Entry& entry = entries_[id];
    return {bytes_.data() + entry.begin, entry.length};
  }

  /// The string's number, kNone if it was never added.
  std::uint32_t find(std::string_view text) const;
  std::uint32_t find_or_add(std::string_view text);

 private:
  struct Entry {
    std::uint64_t begin;
    std::uint32_t length;
    std::uint32_t hash;
  };

  /// The slot that holds `text`, or the empty one where it belongs.
  std::size_t slot_of(std::string_view text, std::uint32_t hash) const;
  void grow();

  std::vector<char> bytes_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  // a power of two, at most half of them taken
};

}  // namespace cane
