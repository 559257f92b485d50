// Layout of weights in one array, block after block (core/simd/block_kernels.h). In a tree, every
// inner node has a block with the edges to its children. Without a tree, classes are stored side by
// side in blocks of equal width: width 1, a contiguous row per class, for dense examples that score
// a few classes each; wider blocks for sparse examples, where reading one weight loads its
// neighbours anyway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/types.h"
#include "core/simd/block_kernels.h"
#include "core/tree/class_tree.h"

namespace cane {

class BlockLayout {
 public:
  BlockLayout() = default;
  BlockLayout(const ClassTree& tree, FeatureId dimension);
  /// `width` is 1 or a multiple of 8.
  static BlockLayout flat(std::uint32_t classes, std::uint32_t width, FeatureId dimension);

  /// One row per class: block k belongs to class k and begins pitch() floats after the previous
  /// one.
  bool is_row_major() const { return widest_stride_ == 1; }
  std::size_t pitch() const { return pitch_; }

  /// Start of the block of an inner node, or of a flat block; and its shape.
  std::size_t offset(NodeId node) const { return offsets_[node]; }
  BlockShape shape(NodeId node) const { return {dimension_, strides_[node]}; }

  FeatureId dimension() const { return dimension_; }
  std::uint32_t widest_stride() const { return widest_stride_; }
  /// Total number of floats in all blocks.
  std::size_t size() const { return size_; }

  /// The columns of all blocks, numbered block after block: those of a block begin at
  /// first_column().
  std::size_t columns() const;
  std::size_t first_column(NodeId node) const {
    return is_flat() ? std::size_t{node} * widest_stride_ : offsets_[node] / (dimension_ + 1);
  }
  /// The same for weights whose biases are stored separately (core/simd/quantized_kernels.h).
  std::size_t weights_pitch() const;
  std::size_t weights_offset(NodeId node) const {
    return is_flat() ? node * weights_pitch() : first_column(node) * dimension_;
  }
  /// A multiple of a cache line for elements of any size.
  std::size_t weights_size() const;

  /// Exclusive upper bound of the inner node ids.
  std::uint32_t node_bound() const { return static_cast<std::uint32_t>(offsets_.size()); }

 private:
  bool is_flat() const { return pitch_ > 0; }

  FeatureId dimension_ = 0;
  std::uint32_t widest_stride_ = 0;
  std::size_t size_ = 0;
  std::size_t pitch_ = 0;  // of flat blocks only
  std::vector<std::size_t> offsets_;
  std::vector<std::uint32_t> strides_;
};

}  // namespace cane
