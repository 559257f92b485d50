#include "linear/gradient/class_gradients.h"

namespace cane {

void PathGradient::add(std::uint32_t example, std::span<const ClassId> classes,
                       std::span<const float> gradient, float scale) {
  const std::size_t first = parts().size();
  passing_.resize(first);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const float step = -scale * gradient[i];
    for (NodeId node = tree_->leaf_of(classes[i]); node != 0;) {
      const NodeId parent = tree_->parent(node);
      const std::uint32_t part = part_of(example, parent);
      steps(part)[node - tree_->first_child(parent)] += step;
      Passing& passing = passing_[part];
      if (passing.classes++ == 0) {
        passing.child = node;
      } else if (passing.child != node) {
        passing.through_one_child = false;
      }
      node = parent;
    }
  }
  drop_shared_edges(first, classes.size());
}

std::uint32_t PathGradient::part_of(std::uint32_t example, NodeId node) {
  const std::uint32_t hint = part_by_node_[node];
  if (hint < parts().size() && parts()[hint].node == node && parts()[hint].example == example) {
    return hint;
  }
  const auto part = static_cast<std::uint32_t>(parts().size());
  part_by_node_[node] = part;
  add_part(example, node);
  passing_.push_back({0, 0, true});
  return part;
}

void PathGradient::drop_shared_edges(std::size_t first, std::size_t selected) {
  std::size_t kept = first;
  for (std::size_t part = first; part < parts().size(); ++part) {
    if (passing_[part].through_one_child && passing_[part].classes == selected) continue;
    if (kept != part) move_part(part, kept);
    ++kept;
  }
  shrink(kept);
}

}  // namespace cane
