// Scores along the paths of a tree (Eq. h): the score of a node is the sum of x times the weights
// of the edges from the root down to it. Work is given as (example, node) pairs and grouped by
// node, so that a block of weights is read once for all examples that need it.
//
// With normalised siblings this is the hierarchical softmax: the score of a node is its
// log-probability, with a softmax over the children at every node of the path.
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

/// Requests the scores of all children of `node` for an example; `base` is the node's own score.
struct NodePair {
  std::uint32_t example;
  NodeId node;
  float base;
};

/// Scratch memory of a PathScorer, one per thread.
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
  const WeightView& weights() const { return weights_; }
  bool normalizes_siblings() const { return normalize_siblings_; }

  /// Distance in floats between the scores of consecutive pairs: a multiple of kSelectMultiple and
  /// a power of two, so that an index is split into pair and child by a shift.
  std::size_t slot() const { return std::size_t{1} << slot_bits_; }
  int slot_bits() const { return slot_bits_; }

  /// scores[pair * slot() + c] is the score of child c of the pair's node, or minus infinity if
  /// there is no such child. Returns the number of rows scored.
  std::uint64_t score(std::span<const RowView> rows, std::span<const NodePair> pairs, float* scores,
                      PathScratch& scratch) const;

  /// The scores of a node's children for one example, `slot()` floats, relative to the node's own.
  void score_children(const RowView& row, NodeId node, float* scores) const {
    const ScoreTask task = {row, 0.0F, scores};
    score_node(node, std::span(&task, 1));
  }

  /// Scores of all nodes, all_nodes_slot() floats per example, one example after the other. This
  /// scores at least K rows, the cost of an exact normaliser.
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
