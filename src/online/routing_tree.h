// A growable binary tree of routers as flat arrays. Node 0 is the root. An inner node has two
// children and a router, identified by the row of its weights; a leaf has neither. The rows of the
// routers are 0 .. inner nodes - 1, each used once, in any order.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/types.h"
#include "core/tree/class_tree.h"

namespace cane {

class RoutingTree {
 public:
  /// Stands for the children and the row of a leaf.
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// A single leaf.
  RoutingTree() : RoutingTree({kNone}, {kNone}, {kNone}) {}
  /// Throws Error unless this is a tree as described above, without cycles or dangling links.
  RoutingTree(std::vector<NodeId> left, std::vector<NodeId> right, std::vector<std::uint32_t> rows);
  /// A complete tree with all leaves at this depth; nodes are in level order.
  static RoutingTree full(std::uint32_t depth);
  /// The nodes of a binary class tree, with the same numbers.
  static RoutingTree of(const ClassTree& tree);

  std::uint32_t node_count() const { return static_cast<std::uint32_t>(left_.size()); }
  std::uint32_t inner_count() const { return node_count() / 2; }
  bool is_leaf(NodeId node) const { return left_[node] == kNone; }
  NodeId child(NodeId node, bool right) const { return right ? right_[node] : left_[node]; }
  NodeId parent(NodeId node) const { return parents_[node]; }  // kNone for the root
  std::uint32_t row(NodeId inner) const { return rows_[inner]; }

  std::span<const NodeId> left() const { return left_; }
  std::span<const NodeId> right() const { return right_; }
  std::span<const std::uint32_t> rows() const { return rows_; }

  /// Splits a leaf: adds two leaves as its children, the last two nodes, and assigns the next row.
  void split(NodeId leaf);
  /// Splits a leaf without adding nodes. The leaf `given_up` and its parent, which must not be the
  /// root, are removed, and the sibling of `given_up` takes the place of the parent. The two freed
  /// nodes become the left and right child of `leaf`, which gets the parent's row.
  void move_split(NodeId given_up, NodeId leaf);

  bool operator==(const RoutingTree&) const = default;

 private:
  void become_inner(NodeId leaf, NodeId left, NodeId right, std::uint32_t row);

  std::vector<NodeId> left_;
  std::vector<NodeId> right_;
  std::vector<std::uint32_t> rows_;
  std::vector<NodeId> parents_;
};

/// Shape statistics of a tree.
struct RoutingShape {
  std::uint32_t inner_nodes = 0;
  std::uint32_t leaves = 0;
  std::uint32_t depth = 0;  // depth of the deepest leaf
  double mean_depth = 0.0;  // over the leaves
};
RoutingShape shape_of(const RoutingTree& tree);

}  // namespace cane
