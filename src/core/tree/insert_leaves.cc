#include "core/tree/insert_leaves.h"

#include <algorithm>
#include <cassert>

namespace cane {
namespace {

// Nodes under construction: nodes of the old tree keep their numbers, new ones follow.
struct GrowingTree {
  explicit GrowingTree(const ClassTree& tree)
      : children(tree.node_count()), parents(tree.node_count()), classes(tree.node_count()) {
    for (NodeId node = 0; node < tree.node_count(); ++node) {
      parents[node] = tree.parent(node);
      if (tree.is_leaf(node)) classes[node] = tree.leaf_class(node);
      for (std::uint32_t child = 0; child < tree.child_count(node); ++child) {
        children[node].push_back(tree.first_child(node) + child);
      }
    }
  }

  NodeId add(NodeId parent, ClassId label) {
    children.emplace_back();
    parents.push_back(parent);
    classes.push_back(label);
    return static_cast<NodeId>(children.size() - 1);
  }

  /// Replaces a leaf by a new inner node, with the leaf as its only child, and returns the new
  /// node.
  NodeId push_down(NodeId leaf) {
    const NodeId parent = parents[leaf];
    const NodeId inner = add(parent, 0);
    std::ranges::replace(children[parent], leaf, inner);
    children[inner].push_back(leaf);
    parents[leaf] = inner;
    return inner;
  }

  std::vector<std::vector<NodeId>> children;
  std::vector<NodeId> parents;
  std::vector<ClassId> classes;  // classes of the leaves
};

}  // namespace

GrownTree insert_leaves(const ClassTree& tree, std::span<const ClassId> siblings,
                        std::uint32_t arity) {
  assert(arity >= 2);
  GrowingTree growing(tree);
  std::vector<NodeId> edge_of(tree.node_count());
  for (NodeId node = 0; node < tree.node_count(); ++node) edge_of[node] = node;
  for (std::uint32_t i = 0; i < siblings.size(); ++i) {
    const NodeId leaf = tree.leaf_of(siblings[i]);
    NodeId parent = growing.parents[leaf];
    if (growing.children[parent].size() >= arity) {
      parent = growing.push_down(leaf);
      if (edge_of[leaf] == leaf) edge_of[leaf] = parent;
    }
    const NodeId added = growing.add(parent, tree.class_count() + i);
    growing.children[parent].push_back(added);
  }
  std::vector<NodeId> level_order = {0};
  std::vector<std::uint32_t> child_counts;
  std::vector<ClassId> leaf_classes;
  std::vector<NodeId> new_number(growing.children.size());
  for (std::size_t at = 0; at < level_order.size(); ++at) {
    const NodeId node = level_order[at];
    new_number[node] = static_cast<NodeId>(at);
    const std::vector<NodeId>& children = growing.children[node];
    child_counts.push_back(static_cast<std::uint32_t>(children.size()));
    if (children.empty()) leaf_classes.push_back(growing.classes[node]);
    level_order.insert(level_order.end(), children.begin(), children.end());
  }
  GrownTree grown = {ClassTree(std::move(child_counts), std::move(leaf_classes)), {}};
  for (const NodeId node : edge_of) grown.node_of.push_back(new_number[node]);
  return grown;
}

}  // namespace cane
