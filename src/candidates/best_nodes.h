// Keeps the best `width` of the nodes offered to it: the highest scores, and on a tie the node with
// the lower class below it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/types.h"

namespace cane {

struct ScoredNode {
  float score;
  ClassId tie;  // the lowest class below the node
  NodeId node;
};

inline bool is_better(const ScoredNode& a, const ScoredNode& b) {
  return a.score > b.score || (a.score == b.score && a.tie < b.tie);
}

class BestNodes {
 public:
  void reset(std::uint32_t width) {
    width_ = width;
    nodes_.clear();
    threshold_ = -std::numeric_limits<float>::infinity();
  }

  /// A node that scores less cannot be kept.
  float threshold() const { return threshold_; }

  void offer(const ScoredNode& node) {
    if (width_ <= kSortedWidth) {
      insert(node);
    } else {
      nodes_.push_back(node);
      if (nodes_.size() >= 2 * std::size_t{width_}) cut();
    }
  }

  /// The kept nodes, best first.
  std::span<const ScoredNode> sorted() {
    if (width_ > kSortedWidth) {
      cut();
      std::sort(nodes_.begin(), nodes_.end(), is_better);
    }
    return nodes_;
  }

 private:
  // Up to here a sorted list with insertion is faster than selection afterwards.
  static constexpr std::uint32_t kSortedWidth = 32;

  void insert(const ScoredNode& node) {
    if (nodes_.size() == width_) {
      if (!is_better(node, nodes_.back())) return;
      nodes_.pop_back();
    }
    std::size_t place = nodes_.size();
    nodes_.push_back(node);
    for (; place > 0 && is_better(node, nodes_[place - 1]); --place) {
      nodes_[place] = nodes_[place - 1];
    }
    nodes_[place] = node;
    if (nodes_.size() == width_) threshold_ = nodes_.back().score;
  }

  void cut() {
    if (nodes_.size() <= width_) return;
    std::nth_element(nodes_.begin(), nodes_.begin() + (width_ - 1), nodes_.end(), is_better);
    nodes_.resize(width_);
    threshold_ = nodes_.back().score;
  }

  std::uint32_t width_ = 0;
  float threshold_ = 0.0F;
  std::vector<ScoredNode> nodes_;
};

}  // namespace cane
