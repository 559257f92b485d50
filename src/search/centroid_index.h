// A copy of the class vectors for search: at every node of the class tree the mean of the vectors
// below it, in 8 bits. What is stored is the difference from the parent, so that a score is a sum
// along a path, and a class that lies close to its siblings is distinguished from them as finely as
// one far away. A parent counts as it is stored: errors do not add up on the way down.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/buffer.h"
#include "core/base/thread_pool.h"
#include "core/simd/code_kernels.h"
#include "core/tree/class_tree.h"

namespace cane {

class CentroidIndex {
 public:
  /// The tree must outlive the object.
  CentroidIndex(const ClassTree& tree, FeatureId dimension);

  /// row(class, values) writes the weights of a class and its bias, dimension + 1 floats. The
  /// result is the same with any pool, or none.
  using ClassRow = std::function<void(ClassId class_id, std::span<float> values)>;
  void build(const ClassRow& row, ThreadPool* pool);

  /// A node may hold a class whose score is far above the mean of all: adds to the score of every
  /// inner node its spread, the mean squared distance of the class vectors below from their mean,
  /// times the factor of its level. The last factor holds for all deeper levels.
  void add_spreads(std::span<const float> factors, ThreadPool* pool);
  float spread(NodeId node) const { return spreads_[node]; }
  /// Number of classes below an inner node.
  std::uint32_t below(NodeId node) const { return below_[node]; }

  const ClassTree& tree() const { return *tree_; }
  FeatureId dimension() const { return dimension_; }
  /// Whether the children of a node are leaves, all of them.
  bool is_above_leaves(NodeId node) const { return tree_->first_child(node) >= inner_bound_; }
  /// Scores written for a node: its children, and minus infinity up to a multiple of kCodeColumns.
  std::size_t columns(NodeId node) const {
    return (offsets_[node + 1] - offsets_[node]) * kCodeColumns;
  }
  std::size_t most_columns() const { return most_columns_; }

  /// The scores of a node's children; `base` is the node's own.
  void score(NodeId node, const CodeQuery& query, float base, float* scores) const {
    score_panels(block(node), offsets_[node + 1] - offsets_[node], dimension_, query, base, scores);
  }
  void prefetch(NodeId node) const {
    prefetch_panels(block(node), offsets_[node + 1] - offsets_[node], dimension_);
  }

  /// Memory of the index itself, and of building it.
  static std::uint64_t bytes(const ClassTree& tree, FeatureId dimension);

 private:
  struct Level {
    NodeId begin;
    NodeId end;
  };

  const std::byte* block(NodeId node) const {
    return codes_.data() + offsets_[node] * code_panel_bytes(dimension_);
  }
  template <typename Body>
  void for_each_inner(const Level& level, ThreadPool* pool, const Body& body) const;
  void add_children(NodeId node, const ClassRow& row, std::span<float> scratch);
  void store_children(NodeId node, const ClassRow& row, std::span<float> scratch);

  const ClassTree* tree_;
  FeatureId dimension_;
  NodeId inner_bound_ = 0;            // all nodes from here on are leaves
  std::vector<Level> levels_;         // nodes of each depth
  std::vector<std::size_t> offsets_;  // first panel of each inner node, and the end
  std::size_t most_columns_ = 0;
  std::vector<std::uint32_t> below_;  // classes below each inner node
  std::vector<float> spreads_;        // of each inner node
  Buffer<float> means_;               // of each inner node, with its bias; then as it is stored
  Buffer<std::byte> codes_;
};

}  // namespace cane
