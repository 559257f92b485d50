// Selects the best of many scores: of nodes offered one by one, or of all classes at once. Ties go
// to the lower class; for a node, that is the lowest class below it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/types.h"
#include "search/selector.h"

namespace cane {

struct ScoredNode {
  float score;
  ClassId tie;  // the lowest class below the node
  NodeId node;
};

inline bool is_better(const ScoredNode& a, const ScoredNode& b) {
  return is_better(Candidate{a.tie, a.score}, Candidate{b.tie, b.score});
}

/// Keeps the best `width` of the nodes offered to it.
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
    std::sort(nodes_.begin(), nodes_.end(), is_better_node);
    return nodes_;
  }

 private:
  static constexpr std::size_t kSlack = 16;

  static bool is_better_node(const ScoredNode& a, const ScoredNode& b) { return is_better(a, b); }

  void cut() {
    if (nodes_.size() <= width_) return;
    std::nth_element(nodes_.begin(), nodes_.begin() + (width_ - 1), nodes_.end(), is_better_node);
    nodes_.resize(width_);
  }

  std::uint32_t width_ = 0;
  std::vector<ScoredNode> nodes_;
};

class TopScores {
 public:
  /// Returns the best classes, best first. `scores` must be padded with minus infinity from
  /// `classes` to a multiple of kSelectMultiple. The result has min(keep, classes) elements and is
  /// valid until the next call.
  std::span<const Candidate> top_k(std::span<const float> scores, std::uint32_t classes,
                                   std::uint32_t keep);

  /// Returns the best classes in no particular order: at least min(keep, classes), and up to a
  /// quarter more if that is faster.
  std::span<const ClassId> approximate_top_k(std::span<const float> scores, std::uint32_t classes,
                                             std::uint32_t keep);

 private:
  std::vector<std::uint32_t> places_;
  BestNodes nodes_;
  std::vector<Candidate> best_;
};

}  // namespace cane
