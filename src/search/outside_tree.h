// A distribution over the leaves of a tree, given by the probabilities of the children at every
// node, restricted to the leaves outside a set. For every node above an excluded leaf it keeps the
// remaining mass of each child; all other nodes are unaffected. Sums run from the leaves up over
// the remaining mass: nothing is ever subtracted, so the distribution is exact even if nearly all
// mass is excluded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/base/types.h"
#include "core/tree/class_tree.h"

namespace cane {

class OutsideTree {
 public:
  /// probabilities(depth, node, float* children) writes the probability of each child of an inner
  /// node. `slot` is the largest number of children of a node.
  template <typename Probabilities>
  void prepare(const ClassTree& tree, std::size_t slot, std::span<const ClassId> excluded,
               const Probabilities& probabilities) {
    tree_ = &tree;
    slot_ = slot;
    collect(excluded);
    left_.resize(nodes_.size() * slot);
    mass_.resize(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      probabilities(nodes_[i].depth, nodes_[i].node, left_.data() + i * slot);
    }
    for (const ClassId label : excluded) left_of(tree.leaf_of(label)) = 0.0F;
    // Children have higher numbers than their parents, so iterate from the last node.
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      const float* left = left_.data() + i * slot;
      mass_[i] = std::accumulate(left, left + tree.child_count(nodes_[i].node), 0.0);
      if (i > 0) left_of(nodes_[i].node) *= static_cast<float>(mass_[i]);
    }
  }

  /// Mass of all leaves outside the set; 1 if nothing is excluded.
  double mass() const { return nodes_.empty() ? 1.0 : mass_[0]; }

  /// Remaining mass of each child of a node, and their sum in `mass`; null if nothing below the
  /// node is excluded.
  const float* left(NodeId node, double& mass) const {
    const std::size_t place = place_of(node);
    if (place == nodes_.size()) return nullptr;
    mass = mass_[place];
    return left_.data() + place * slot_;
  }

 private:
  struct Node {
    NodeId node;
    std::uint32_t depth;
    bool operator<(const Node& other) const { return node < other.node; }
    bool operator==(const Node& other) const { return node == other.node; }
  };

  void collect(std::span<const ClassId> excluded) {
    nodes_.clear();
    for (const ClassId label : excluded) {
      const std::size_t begin = nodes_.size();
      for (NodeId node = tree_->leaf_of(label); node != 0;) {
        node = tree_->parent(node);
        nodes_.push_back({node, 0});
      }
      const auto length = static_cast<std::uint32_t>(nodes_.size() - begin);
      for (std::uint32_t i = 0; i < length; ++i) nodes_[begin + i].depth = length - 1 - i;
    }
    std::sort(nodes_.begin(), nodes_.end());
    nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
  }
  /// Remaining mass of a node, as stored at its parent.
  float& left_of(NodeId node) {
    const NodeId parent = tree_->parent(node);
    return left_[place_of(parent) * slot_ + (node - tree_->first_child(parent))];
  }
  std::size_t place_of(NodeId node) const {
    const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), Node{node, 0});
    return found != nodes_.end() && found->node == node
               ? static_cast<std::size_t>(found - nodes_.begin())
               : nodes_.size();
  }

  const ClassTree* tree_ = nullptr;
  std::size_t slot_ = 0;
  std::vector<Node> nodes_;  // nodes above an excluded leaf, ascending
  std::vector<float> left_;
  std::vector<double> mass_;
};

}  // namespace cane
