#include "model/block_layout.h"

#include <algorithm>

namespace cane {

BlockLayout::BlockLayout(const ClassTree& tree, FeatureId dimension) : dimension_(dimension) {
  NodeId bound = tree.node_count();
  while (bound > 0 && tree.is_leaf(bound - 1)) --bound;
  offsets_.reserve(bound);
  strides_.reserve(bound);
  for (NodeId node = 0; node < bound; ++node) {
    const std::uint32_t stride = tree.is_leaf(node) ? 0 : block_stride(tree.child_count(node));
    offsets_.push_back(size_);
    strides_.push_back(stride);
    widest_stride_ = std::max(widest_stride_, stride);
    size_ += (std::size_t{dimension} + 1) * stride;
  }
}

BlockLayout BlockLayout::flat(std::uint32_t classes, std::uint32_t width, FeatureId dimension) {
  constexpr std::size_t kPitchMultiple = 8;
  BlockLayout layout;
  layout.dimension_ = dimension;
  layout.widest_stride_ = width;
  const std::size_t floats = (std::size_t{dimension} + 1) * width;
  layout.pitch_ = (floats + kPitchMultiple - 1) / kPitchMultiple * kPitchMultiple;
  const std::uint32_t blocks = (classes + width - 1) / width;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    layout.offsets_.push_back(block * layout.pitch_);
  }
  layout.strides_.assign(blocks, width);
  layout.size_ = blocks * layout.pitch_;
  return layout;
}

}  // namespace cane
