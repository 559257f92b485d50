// Groups items that share a key, in linear time: (example, node) pairs are grouped by node, so that
// a node's weights are read once for all its examples. Keys come in ascending order, items of a key
// in their own order; nothing is allocated once the buffers have grown.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cane {

class Grouping {
 public:
  /// Groups items 0 .. count - 1 by key_of(item), which must be below `key_bound`.
  template <typename KeyOf>
  void build(std::size_t count, std::size_t key_bound, const KeyOf& key_of) {
    if (ends_.size() < key_bound) ends_.resize(key_bound, 0);
    distinct_.clear();
    for (std::size_t item = 0; item < count; ++item) {
      const std::uint32_t key = key_of(item);
      if (ends_[key]++ == 0) distinct_.push_back(key);
    }
    std::sort(distinct_.begin(), distinct_.end());
    starts_.resize(distinct_.size() + 1);
    std::uint32_t start = 0;
    for (std::size_t group = 0; group < distinct_.size(); ++group) {
      starts_[group] = start;
      start += std::exchange(ends_[distinct_[group]], start);
    }
    starts_[distinct_.size()] = start;
    items_.resize(count);
    for (std::uint32_t item = 0; item < count; ++item) items_[ends_[key_of(item)]++] = item;
    for (const std::uint32_t key : distinct_) ends_[key] = 0;
  }

  std::size_t size() const { return distinct_.size(); }
  std::uint32_t key(std::size_t group) const { return distinct_[group]; }
  /// All items, group after group, and where the items of a group begin among them.
  std::span<const std::uint32_t> items() const { return items_; }
  std::size_t start(std::size_t group) const { return starts_[group]; }
  std::span<const std::uint32_t> items(std::size_t group) const {
    return std::span(items_).subspan(starts_[group], starts_[group + 1] - starts_[group]);
  }

 private:
  std::vector<std::uint32_t> ends_;  // by key; all zero between calls
  std::vector<std::uint32_t> distinct_;
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> items_;
};

}  // namespace cane
