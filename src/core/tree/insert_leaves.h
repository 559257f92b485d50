// New classes in a tree that has learned: each becomes a sibling of the leaf of a class it
// resembles. What was there stays, so that the weights of its edges can be kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tree/class_tree.h"

namespace cane {

struct GrownTree {
  ClassTree tree;
  /// Old node -> the new node whose edge takes the place of its edge. For a leaf that has become
  /// one of several this is the inner node above them, not the leaf itself.
  std::vector<NodeId> node_of;
};

/// Class K + i becomes a sibling of the leaf of class `siblings[i]` < K, K being the classes so
/// far. Where its parent has `arity` children already, the leaf is replaced by an inner node that
/// has both.
GrownTree insert_leaves(const ClassTree& tree, std::span<const ClassId> siblings,
                        std::uint32_t arity);

}  // namespace cane
