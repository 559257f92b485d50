// Keeps the best `width` of the nodes offered to it: the highest scores, and on a tie the node with
// the lower class below it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/types.h"

namespace cane {

struct ScoredNode {
  float score;
  ClassId tie;  // the lowest class below the node
  NodeId node;
};

/// A score that is not a number is worse than any other.
inline bool is_better(const ScoredNode& a, const ScoredNode& b) {
  if (a.score > b.score) return true;
  if (a.score < b.score) return false;
  if (std::isnan(a.score) != std::isnan(b.score)) return std::isnan(b.score);
  return a.tie < b.tie;
}

class BestNodes {
 public:
  void reset(std::uint32_t width) {
    width_ = width;
    nodes_.clear();
  }

  void offer(const ScoredNode& node) {
    nodes_.push_back(node);
    if (nodes_.size() >= 2 * std::size_t{width_} + kSlack) cut();
  }

  std::span<const ScoredNode> kept() {
    cut();
    return nodes_;
  }

  /// The kept nodes, best first.
  std::span<const ScoredNode> sorted() {
    cut();
    std::sort(nodes_.begin(), nodes_.end(), is_better);
    return nodes_;
  }

 private:
  static constexpr std::size_t kSlack = 16;

  void cut() {
    if (nodes_.size() <= width_) return;
    std::nth_element(nodes_.begin(), nodes_.begin() + (width_ - 1), nodes_.end(), is_better);
    nodes_.resize(width_);
  }

  std::uint32_t width_ = 0;
  std::vector<ScoredNode> nodes_;
};

}  // namespace cane
