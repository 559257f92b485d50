#include "model/path_gradient.h"

#include <algorithm>

namespace cane {

PathGradient::PathGradient(const ClassTree& tree, const BlockLayout& layout)
    : tree_(&tree), slot_(layout.widest_stride()), part_by_node_(layout.node_bound(), 0) {}

void PathGradient::clear() {
  parts_.clear();
  steps_.clear();
  passing_.clear();
}

void PathGradient::add(std::uint32_t example, std::span<const ClassId> classes,
                       std::span<const float> gradient, float scale) {
  const std::size_t first = parts_.size();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const float step = -scale * gradient[i];
    for (NodeId node = tree_->leaf_of(classes[i]); node != 0;) {
      const NodeId parent = tree_->parent(node);
      const std::uint32_t part = part_of(example, parent);
      steps_[part * slot_ + (node - tree_->first_child(parent))] += step;
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
  if (hint < parts_.size() && parts_[hint].node == node && parts_[hint].example == example) {
    return hint;
  }
  const auto part = static_cast<std::uint32_t>(parts_.size());
  part_by_node_[node] = part;
  parts_.push_back({example, node});
  steps_.resize(steps_.size() + slot_, 0.0F);
  passing_.push_back({0, 0, true});
  return part;
}

void PathGradient::drop_shared_edges(std::size_t first, std::size_t selected) {
  std::size_t kept = first;
  for (std::size_t part = first; part < parts_.size(); ++part) {
    if (passing_[part].through_one_child && passing_[part].classes == selected) continue;
    if (kept != part) {
      parts_[kept] = parts_[part];
      std::copy_n(steps_.begin() + static_cast<std::ptrdiff_t>(part * slot_), slot_,
                  steps_.begin() + static_cast<std::ptrdiff_t>(kept * slot_));
    }
    ++kept;
  }
  parts_.resize(kept);
  passing_.resize(kept);
  steps_.resize(kept * slot_);
}

}  // namespace cane
