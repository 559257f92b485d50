// Backward pass from class scores to the weights of a tree (Eqs. grad1 and grad2): the gradient of
// an edge is the sum over the selected classes below it. An edge that lies on every selected path
// has gradient zero and is skipped (Prop. 1); this is exact, not only up to rounding.
#pragma once

#include "core/tree/class_tree.h"
#include "linear/gradient/gradient_parts.h"

namespace cane {

class PathGradient final : public ClassGradient {
 public:
  PathGradient(const ClassTree& tree, const BlockLayout& layout)
      : ClassGradient(layout), tree_(&tree), part_by_node_(layout.node_bound(), 0) {}

  void add(std::uint32_t example, std::span<const ClassId> classes, std::span<const float> gradient,
           float scale) override;

 private:
  std::uint32_t part_of(std::uint32_t example, NodeId node);
  void drop_shared_edges(std::size_t first, std::size_t selected);

  const ClassTree* tree_;
  struct Passing {
    std::uint32_t classes;  // selected classes below the node
    NodeId child;           // the child they all pass through, if there is only one
    bool through_one_child;
  };
  std::vector<Passing> passing_;
  std::vector<std::uint32_t> part_by_node_;  // a hint, checked before use
};

}  // namespace cane
