// Adds classes to a trained tree: each becomes a sibling of the leaf of a class it resembles.
// Existing nodes are preserved, so the weights of their edges can be kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tree/class_tree.h"

namespace cane {

struct GrownTree {
  ClassTree tree;
  /// Maps an old node to the new node whose edge replaces its edge. For a leaf that was replaced by
  /// an inner node, this is the inner node, not the leaf itself.
  std::vector<NodeId> node_of;
};

/// Class K + i becomes a sibling of the leaf of class `siblings[i]` < K, where K is the current
/// number of classes. If its parent already has `arity` children, the leaf is replaced by an inner
/// node that holds both.
GrownTree insert_leaves(const ClassTree& tree, std::span<const ClassId> siblings,
                        std::uint32_t arity);

}  // namespace cane
