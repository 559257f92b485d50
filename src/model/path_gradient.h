// The way back from class scores to the weights of a tree (Eqs. grad1 and grad2): the gradient of
// an edge is the sum over the selected classes below it. An edge that lies on every selected path
// has gradient zero and is left out (Prop. 1), exactly, not only up to rounding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"
#include "model/block_layout.h"
#include "tree/class_tree.h"

namespace cane {

class PathGradient {
 public:
  PathGradient(const ClassTree& tree, const BlockLayout& layout);

  void clear();

  /// Adds an example with its selected classes and the gradient in each one's score; a class may
  /// stand there more than once. Steps are minus the gradient, times `scale`.
  void add(std::uint32_t example, std::span<const ClassId> classes, std::span<const float> gradient,
           float scale);

  struct Part {
    std::uint32_t example;
    NodeId node;
  };
  /// What was added, by example; the steps of part i, one for every child of its node.
  std::span<const Part> parts() const { return parts_; }
  const float* steps(std::size_t part) const { return steps_.data() + part * slot_; }

 private:
  std::uint32_t part_of(std::uint32_t example, NodeId node);
  void drop_shared_edges(std::size_t first, std::size_t selected);

  const ClassTree* tree_;
  std::size_t slot_;
  std::vector<Part> parts_;
  std::vector<float> steps_;
  struct Passing {
    std::uint32_t classes;  // selected classes below the node
    NodeId child;           // the child they pass, if it is one only
    bool through_one_child;
  };
  std::vector<Passing> passing_;
  std::vector<std::uint32_t> part_by_node_;  // a hint, checked before use
};

}  // namespace cane
