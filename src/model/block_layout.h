// Where the weights of a tree lie in one array: a block for every inner node, holding the edges to
// its children (see kernels/block_kernels.h), in the order of the nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.h"
#include "kernels/block_kernels.h"
#include "tree/class_tree.h"

namespace cane {

class BlockLayout {
 public:
  BlockLayout() = default;
  BlockLayout(const ClassTree& tree, FeatureId dimension);

  /// Of an inner node.
  std::size_t offset(NodeId node) const { return offsets_[node]; }
  BlockShape shape(NodeId node) const { return {dimension_, strides_[node]}; }

  FeatureId dimension() const { return dimension_; }
  std::uint32_t widest_stride() const { return widest_stride_; }
  /// Floats in all blocks.
  std::size_t size() const { return size_; }
  /// All inner nodes are below this.
  std::uint32_t node_bound() const { return static_cast<std::uint32_t>(offsets_.size()); }

 private:
  FeatureId dimension_ = 0;
  std::uint32_t widest_stride_ = 0;
  std::size_t size_ = 0;
  std::vector<std::size_t> offsets_;
  std::vector<std::uint32_t> strides_;
};

}  // namespace cane
