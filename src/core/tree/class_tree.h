// A tree whose leaves are the classes, as immutable flat arrays. Nodes are numbered level by level
// from the root, 0, and the children of a node have consecutive numbers, so that their weights are
// contiguous. Every non-root node has one incoming edge, identified by the node itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/types.h"

namespace cane {

class ClassTree {
 public:
  ClassTree() = default;

  /// child_counts: the number of children of each node in level order (0 for a leaf).
  /// leaf_classes: the class of each leaf in level order.
  /// Throws Error unless this is a single tree whose leaves are the classes 0 .. K-1, each once,
  /// with K >= 2 and at least two children per inner node.
  ClassTree(std::vector<std::uint32_t> child_counts, std::vector<ClassId> leaf_classes);

  std::uint32_t node_count() const { return static_cast<std::uint32_t>(child_counts_.size()); }
  std::uint32_t class_count() const { return class_count_; }
  std::uint32_t depth() const { return depth_; }  // edges on the longest path
  std::uint32_t arity() const { return arity_; }  // maximum number of children of a node

  bool is_leaf(NodeId node) const { return child_counts_[node] == 0; }
  NodeId first_child(NodeId node) const { return first_children_[node]; }
  std::uint32_t child_count(NodeId node) const { return child_counts_[node]; }
  NodeId parent(NodeId node) const { return parents_[node]; }  // 0 for the root
  ClassId leaf_class(NodeId leaf) const { return lowest_classes_[leaf]; }
  NodeId leaf_of(ClassId label) const { return leaves_[label]; }

  /// The lowest class below a node, used to break ties between nodes.
  ClassId lowest_class(NodeId node) const { return lowest_classes_[node]; }

  /// The classes from left to right.
  std::vector<ClassId> leaf_order() const;

  std::span<const std::uint32_t> child_counts() const { return child_counts_; }
  /// The class of each leaf in level order; together with child_counts(), this defines the tree.
  std::vector<ClassId> leaf_classes() const;

  bool operator==(const ClassTree&) const = default;

 private:
  std::vector<std::uint32_t> child_counts_;
  std::vector<NodeId> first_children_;
  std::vector<NodeId> parents_;
  std::vector<ClassId> lowest_classes_;
  std::vector<NodeId> leaves_;
  std::uint32_t class_count_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t arity_ = 0;
};

// Argument checks shared by all tree builders.

/// Throws Error if the arity is too small for a node to branch.
void check_arity(std::uint32_t arity);

/// Throws Error if there are fewer than two classes, or too many to number the nodes.
void check_class_count(std::size_t classes);

}  // namespace cane
