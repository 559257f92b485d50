// Backward passes from class scores to the weights of classes, which are paths of a tree or rows.
#pragma once

#include "core/tree/class_tree.h"
#include "linear/gradient/gradient_parts.h"

namespace cane {

/// Of a tree (Eqs. grad1 and grad2): the gradient of an edge is the sum over the selected classes
/// below it. An edge that lies on every selected path has gradient zero and is skipped (Prop. 1);
/// this is exact, not only up to rounding.
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

/// Of a flat table: updates only the rows of the selected classes.
class FlatGradient final : public ClassGradient {
 public:
  explicit FlatGradient(const BlockLayout& layout)
      : ClassGradient(layout),
        width_(layout.widest_stride()),
        part_by_block_(layout.node_bound(), 0) {}

  void add(std::uint32_t example, std::span<const ClassId> classes, std::span<const float> gradient,
           float scale) override {
    if (width_ == 1) {
      // A class that is listed twice gets two steps.
      for (std::size_t i = 0; i < classes.size(); ++i) {
        *add_part(example, classes[i]) = -scale * gradient[i];
      }
      return;
    }
    for (std::size_t i = 0; i < classes.size(); ++i) {
      const NodeId block = classes[i] / width_;
      std::uint32_t& part = part_by_block_[block];  // a hint, checked before use
      if (part >= parts().size() || parts()[part].node != block ||
          parts()[part].example != example) {
        part = static_cast<std::uint32_t>(parts().size());
        add_part(example, block);
      }
      steps(part)[classes[i] % width_] -= scale * gradient[i];
    }
  }

 private:
  std::uint32_t width_;
  std::vector<std::uint32_t> part_by_block_;
};

}  // namespace cane
