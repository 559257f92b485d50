// The search of one thread in a CentroidIndex: level by level, the best nodes of every example,
// at most `width` of them and none that is further behind the best one than the margin of the
// level. Where the data is easy that leaves a node or two, so that the time grows with the depth of
// the tree alone; where it is hard it leaves the whole width.
//
// A batch goes down together: while the nodes of one example are scored, memory brings the nodes of
// the others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/row_view.h"
#include "linear/scorers/class_scorer.h"
#include "search/centroid_index.h"
#include "search/selector.h"

namespace cane {

class CentroidSearch {
 public:
  /// `keeps_frontier`: add_frontier can be called.
  explicit CentroidSearch(const CentroidIndex& index, bool keeps_frontier = false)
      : index_(index), keeps_frontier_(keeps_frontier) {}

  /// Lists for every row the best min(keep, K) classes found, in no order. Without margins every
  /// level keeps the full width. Returns the number of vectors scored.
  std::uint64_t search(std::span<const RowView> rows, std::uint32_t width, std::uint32_t keep,
                       std::span<const float> margins, ClassLists& found);

  struct Place {
    NodeId node;
    float score;
  };
  /// Appends every node that the last search scored for an example and did not follow: all its
  /// leaves, and the inner nodes that were left. Scores the children of the nodes that it followed
  /// again, so that a search that is not asked costs nothing more.
  void add_frontier(std::uint32_t example, std::vector<Place>& frontier);

  struct Gap {
    float behind;  // the best node of the level
    float rise;    // from the node to the class
    float spread;  // of the node
    float weight;  // of the class: its probability among those found
  };
  /// After a search without margins: how far the inner nodes above the classes found were behind
  /// the best one of their level, appended to gaps[level].
  void measure_gaps(std::vector<std::vector<Gap>>& gaps);

 private:
  static bool is_better_place(const Place& a, const Place& b) {
    return is_better(Candidate{a.node, a.score}, Candidate{b.node, b.score});
  }
  /// Leaves that have consecutive numbers and scores.
  struct Leaves {
    std::size_t begin;  // in the scores
    NodeId first;
    std::uint32_t count;
  };
  struct Example {
    std::vector<std::int16_t> values;
    CodeQuery query;
    std::vector<Place> nodes;        // of this level
    std::vector<float> highest;      // score of each level, of nodes that lead on
    std::vector<float> leaf_scores;  // minus infinity where there is no leaf
    std::vector<Leaves> leaves;
    std::vector<Place> followed;  // inner nodes of all levels, if the frontier is kept
    std::uint32_t classes;        // leaves among them
    std::vector<Place> best;      // the leaves found
  };

  void quantize(const RowView& row, Example& example);
  std::uint64_t descend(Example& example, std::uint32_t width, std::uint32_t keep, float margin);
  std::uint64_t classes_below(std::span<const Place> places) const;
  void add_best_children(const Example& example, std::uint32_t keep);
  void keep_leaves(Example& example, std::uint32_t keep);

  const CentroidIndex& index_;
  bool keeps_frontier_;
  std::vector<Example> examples_;
  std::size_t count_ = 0;
  std::vector<float> dense_;
  std::vector<float> scores_;
  std::vector<Place> next_;
  std::vector<NodeId> followed_;  // by the example whose frontier is asked for, ascending
  std::vector<std::uint32_t> places_;
};

}  // namespace cane
