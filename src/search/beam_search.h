// Beam search over the tree (Alg. 3) for a batch of examples: level by level, the best `width`
// nodes of every example are kept and their children scored. With a beam as wide as the number of
// classes it is exhaustive search. What it finds for an example does not depend on the rest of the
// batch.
//
// The scores of every (example, node) pair it visits stay in the workspace, so that further classes
// of an example can be scored without visiting the shared part of their paths again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linear/scorers/class_lists.h"
#include "linear/scorers/path_scorer.h"
#include "search/best_nodes.h"
#include "search/selection.h"

namespace cane {

class BeamSearch {
 public:
  explicit BeamSearch(const PathScorer& scorer) : scorer_(scorer) {}

  struct Level {
    std::vector<NodePair> pairs;        // grouped by example
    std::vector<std::uint32_t> starts;  // of each example's pairs, and the end
    std::vector<float> scores;          // a slot for every pair
  };
  struct Workspace {
    PathScorer::Workspace scoring;
    std::vector<Level> levels;
    std::uint32_t depth = 0;  // levels in use
    std::vector<BestNodes> finished;
    BestNodes best;
    std::vector<std::uint32_t> places;
    std::vector<NodeId> path;
    std::vector<NodePair> missing;  // pairs on requested paths that the search did not visit
    struct Edge {
      std::size_t request;
      std::uint32_t child;
    };
    std::vector<Edge> missing_edges;  // the edge that each of them was asked for
    std::vector<float> missing_scores;
  };

  /// Finds the best min(keep, K) classes in a beam of `width` >= keep for each of `rows`.
  void search(std::span<const RowView> rows, std::uint32_t width, std::uint32_t keep,
              Workspace& workspace, Selection& selection) const;

  /// Writes the score of every class in the lists, for the rows searched last, and returns how many
  /// further rows of weights that took.
  std::uint64_t score_classes(std::span<const RowView> rows, const ClassLists& lists,
                              Workspace& workspace, float* scores) const;

  /// The scores of the children of a node that the last search visited at this depth for an
  /// example, and the node's own in `base`; null if it did not.
  static const float* visited_children(std::uint32_t example, std::uint32_t depth, NodeId node,
                                       std::size_t slot, const Workspace& workspace, float& base);

  const PathScorer& scorer() const { return scorer_; }

 private:
  void keep_best_children(std::uint32_t example, std::uint32_t width, std::uint32_t keep,
                          const Level& level, Level& next, Workspace& workspace) const;
  float follow_visited(std::uint32_t example, std::span<const NodeId> path,
                       const Workspace& workspace, std::size_t& followed) const;

  PathScorer scorer_;
};

}  // namespace cane
