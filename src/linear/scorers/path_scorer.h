// Scores along the paths of a tree (Eq. h): the score of a node is the sum of x times the weights
// of the edges from the root down to it. Work comes as (example, node) pairs and is done node by
// node, so that a block of weights is read once for all examples that need it.
//
// With siblings normalised it is the hierarchical softmax: the score of a node is the log of its
// probability, a softmax over the children at every node of the path.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/grouping.h"
#include "core/base/row_view.h"
#include "core/simd/select_best.h"
#include "core/tree/class_tree.h"
#include "linear/weights/block_layout.h"
#include "linear/weights/weight_view.h"

namespace cane {

/// Asks for the scores of all children of `node` for an example; `base` is the node's own score.
struct NodePair {
  std::uint32_t example;
  NodeId node;
  float base;
};

/// What a thread's PathScorer writes to.
struct PathScratch {
  Grouping grouping;
  std::vector<ScoreTask> tasks;
};

class PathScorer {
 public:
  /// All three must outlive the scorer.
  PathScorer(const ClassTree& tree, const BlockLayout& layout, WeightView weights,
             bool normalize_siblings = false)
      : tree_(&tree),
        layout_(&layout),
        weights_(weights),
        normalize_siblings_(normalize_siblings),
        slot_bits_(std::countr_zero(
            std::bit_ceil(std::max<std::size_t>(layout.widest_stride(), kSelectMultiple)))) {}

  const ClassTree& tree() const { return *tree_; }
  const BlockLayout& layout() const { return *layout_; }
  bool normalizes_siblings() const { return normalize_siblings_; }

  /// Floats from the scores of one pair to those of the next: a multiple of kSelectMultiple, and a
  /// power of two, so that a place is split into pair and child by a shift.
  std::size_t slot() const { return std::size_t{1} << slot_bits_; }
  int slot_bits() const { return slot_bits_; }

  /// scores[pair * slot() + c]: of child c of the pair's node; minus infinity where there is no
  /// child. Returns the number of rows scored.
  std::uint64_t score(std::span<const RowView> rows, std::span<const NodePair> pairs, float* scores,
                      PathScratch& scratch) const;

  /// The scores of a node's children for one example, `slot()` floats, relative to the node's own.
  void score_children(const RowView& row, NodeId node, float* scores) const {
    const ScoreTask task = {row, 0.0F, scores};
    score_node(node, std::span(&task, 1));
  }

  /// The scores of all nodes, examples one after the other, all_nodes_slot() floats each: K rows
  /// and more, the price of an exact normaliser.
  void score_all(std::span<const RowView> rows, std::vector<float>& scores,
                 PathScratch& scratch) const;
  std::size_t all_nodes_slot() const { return tree_->node_count() + slot(); }

 private:
  void score_node(NodeId node, std::span<const ScoreTask> tasks) const;

  const ClassTree* tree_;
  const BlockLayout* layout_;
  WeightView weights_;
  bool normalize_siblings_;
  int slot_bits_;
};

}  // namespace cane
