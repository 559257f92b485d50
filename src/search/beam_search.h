// Beam search over the tree (Alg. 3) for a batch of examples: level by level, the best `width`
// nodes of each example are kept and their children scored. With a beam as wide as the number of
// classes it is exhaustive. The result for an example does not depend on the rest of the batch.
//
// The scores of every visited (example, node) pair are kept until the next search, so that further
// classes of an example can be scored without recomputing the shared part of their paths.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "linear/scorers/class_scorer.h"
#include "linear/scorers/path_scorer.h"
#include "linear/scorers/tree_scorer.h"
#include "search/frontier_noise.h"
#include "search/selector.h"
#include "search/top_scores.h"

namespace cane {

/// Search state of one thread.
class BeamSearch {
 public:
  explicit BeamSearch(const PathScorer& scorer) : scorer_(scorer) {}

  /// Finds the best min(keep, K) classes in a beam of `width` >= keep for each of `rows`. Nodes and
  /// classes that score `margin` below the best of their level are left out: where scores are
  /// log-probabilities, a margin leaves out what is that many times less probable.
  void search(std::span<const RowView> rows, std::uint32_t width, std::uint32_t keep,
              Selection& selection, float margin = std::numeric_limits<float>::infinity());

  /// Writes the score of every class in the lists, for the rows of the last search; returns the
  /// number of additional weight rows read.
  std::uint64_t score_classes(std::span<const RowView> rows, const ClassLists& lists,
                              float* scores);

  /// Scores of the children of a node that the last search visited at this depth for an example,
  /// with the node's own score in `base`; null if it was not visited.
  const float* visited_children(std::uint32_t example, std::uint32_t depth, NodeId node,
                                float& base) const;

  /// Calls visit(node, score) for every node that the last search scored for an example and did not
  /// follow: all its leaves, and the inner nodes that were not among the best.
  template <typename Visit>
  void for_each_frontier(std::uint32_t example, const Visit& visit) const {
    for (std::uint32_t depth = 0; depth < depth_; ++depth) {
      const Level& level = levels_[depth];
      const Level& next = levels_[depth + 1];
      const auto followed =
          std::span(next.pairs)
              .subspan(next.starts[example], next.starts[example + 1] - next.starts[example]);
      for (std::uint32_t pair = level.starts[example]; pair < level.starts[example + 1]; ++pair) {
        const NodeId first = scorer_.tree().first_child(level.pairs[pair].node);
        const float* scores = level.scores.data() + pair * scorer_.slot();
        for (std::uint32_t c = 0; c < scorer_.tree().child_count(level.pairs[pair].node); ++c) {
          const bool is_followed =
              std::ranges::find(followed, first + c, &NodePair::node) != followed.end();
          if (!is_followed) visit(first + c, scores[c]);
        }
      }
    }
  }

  const PathScorer& scorer() const { return scorer_; }

 private:
  struct Level {
    std::vector<NodePair> pairs;        // grouped by example
    std::vector<std::uint32_t> starts;  // first pair of each example, and the end
    std::vector<float> scores;          // one slot per pair
  };
  /// An edge on the path of a requested class.
  struct Edge {
    std::size_t request;
    std::uint32_t child;
  };

  void keep_best_children(std::uint32_t example, std::uint32_t width, std::uint32_t keep,
                          const Level& level, Level& next);
  float follow_visited(std::uint32_t example, std::span<const NodeId> path,
                       std::size_t& followed) const;

  PathScorer scorer_;
  PathScratch scratch_;
  std::vector<Level> levels_;
  std::uint32_t depth_ = 0;  // levels in use
  float margin_ = 0.0F;
  std::vector<BestNodes> finished_;
  BestNodes best_;
  std::vector<std::uint32_t> places_;
  std::vector<NodeId> path_;
  std::vector<NodePair> missing_;    // pairs on requested paths that the search did not visit
  std::vector<Edge> missing_edges_;  // the edge behind each of them
  std::vector<float> missing_scores_;
};

/// The paper's selector: beam search.
class BeamSelector final : public Selector {
 public:
  /// The scorer must outlive the object.
  explicit BeamSelector(const TreeScorer& scorer)
      : scorer_(scorer), below_(classes_below_nodes(scorer.paths().tree())) {}
  std::unique_ptr<Worker> make_worker() const override;

 private:
  const TreeScorer& scorer_;
  std::vector<std::uint32_t> below_;
};

}  // namespace cane
