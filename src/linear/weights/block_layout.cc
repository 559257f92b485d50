#include "linear/weights/block_layout.h"

#include <algorithm>

namespace cane {

namespace {

constexpr std::size_t kPitchMultiple = 8;

std::size_t rounded_up(std::size_t size, std::size_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

}  // namespace

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
  BlockLayout layout;
  layout.dimension_ = dimension;
  layout.widest_stride_ = width;
  layout.pitch_ = rounded_up((std::size_t{dimension} + 1) * width, kPitchMultiple);
  const std::uint32_t blocks = (classes + width - 1) / width;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    layout.offsets_.push_back(block * layout.pitch_);
  }
  layout.strides_.assign(blocks, width);
  layout.size_ = blocks * layout.pitch_;
  return layout;
}

std::size_t BlockLayout::columns() const {
  return is_flat() ? offsets_.size() * widest_stride_ : size_ / (dimension_ + 1);
}

std::size_t BlockLayout::weights_pitch() const {
  return rounded_up(std::size_t{dimension_} * widest_stride_, kPitchMultiple);
}

std::size_t BlockLayout::weights_size() const {
  constexpr std::size_t kCacheLine = 64;
  const std::size_t size =
      is_flat() ? offsets_.size() * weights_pitch() : columns() * std::size_t{dimension_};
  return rounded_up(size, kCacheLine);
}

}  // namespace cane
