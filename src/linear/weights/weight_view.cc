#include "linear/weights/weight_view.h"

#include <algorithm>

#include "core/simd/row_kernels.h"

namespace cane {
namespace {

constexpr std::size_t kLine = 64 / sizeof(float);  // of a cache

}  // namespace

QuantizedWeights WeightView::block_of(const BlockLayout& layout, NodeId block) const {
  const std::size_t offset = layout.weights_offset(block);
  const std::size_t column = layout.first_column(block);
  QuantizedWeights part = quantized_;
  if (part.type == QuantizedType::kInt8) {
    part.weights = static_cast<const std::int8_t*>(part.weights) + offset;
  } else {
    part.weights = static_cast<const Half*>(part.weights) + offset;
  }
  part.biases += column;
  if (part.type == QuantizedType::kInt8 && !part.scales_features) part.scales += column;
  return part;
}

void WeightView::score_block(const BlockLayout& layout, NodeId block,
                             std::span<const ScoreTask> tasks) const {
  if (is_quantized()) {
    cane::score_block(block_of(layout, block), layout.shape(block), tasks);
  } else {
    cane::score_block(floats_ + layout.offset(block), layout.shape(block), tasks);
  }
}

void WeightView::score_rows(const BlockLayout& layout, const RowView& row,
                            std::span<const ClassId> numbers, float* scores) const {
  assert(layout.is_row_major());
  if (is_quantized()) {
    cane::score_rows(quantized_, layout.weights_pitch(), layout.dimension(), row, numbers, scores);
  } else {
    cane::score_rows(floats_, layout.pitch(), layout.dimension(), row, numbers, scores);
  }
}

void WeightView::prefetch_block(const BlockLayout& layout, NodeId block) const {
  constexpr std::size_t kMaxPrefetched = 4096;  // floats; half of a nearest cache of 32 KB
  const BlockShape shape = layout.shape(block);
  const std::size_t size = (std::size_t{shape.dimension} + 1) * shape.stride;
  if (is_quantized_ || size > kMaxPrefetched) return;
  const float* first = floats_ + layout.offset(block);
  for (std::size_t i = 0; i < size; i += kLine) __builtin_prefetch(first + i);
}

void WeightView::prefetch_rows(const BlockLayout& layout, std::span<const ClassId> numbers) const {
  // More would drive each other out of the nearest cache.
  constexpr std::size_t kMaxRows = 32;
  if (is_quantized()) return;
  for (const ClassId number : numbers.first(std::min(numbers.size(), kMaxRows))) {
    const float* row = floats_ + layout.offset(number);
    for (std::size_t i = 0; i <= layout.dimension(); i += kLine) __builtin_prefetch(row + i);
  }
}

void WeightView::decode_column(const BlockLayout& layout, ClassId number,
                               std::span<float> floats) const {
  const std::uint32_t width = layout.widest_stride();
  const NodeId block = number / width;
  const std::uint32_t column = number % width;
  if (!is_quantized()) {
    const float* first = floats_ + layout.offset(block) + column;
    if (width == 1) {
      std::copy_n(first, floats.size(), floats.begin());
      return;
    }
    for (std::size_t i = 0; i < floats.size(); ++i) floats[i] = first[i * width];
    return;
  }
  const QuantizedWeights part = block_of(layout, block);
  const FeatureId dimension = layout.dimension();
  for (std::size_t i = 0; i < dimension; ++i) {
    const std::size_t place = i * width + column;
    floats[i] = part.type == QuantizedType::kInt8
                    ? static_cast<float>(static_cast<const std::int8_t*>(part.weights)[place]) *
                          part.scales[part.scales_features ? i : column]
                    : to_float(static_cast<const Half*>(part.weights)[place]);
  }
  floats[dimension] = part.biases[column];
}

void WeightView::decode(const BlockLayout& layout, NodeId block, float* floats) const {
  const BlockShape shape = layout.shape(block);
  if (is_quantized()) {
    decode_block(block_of(layout, block), shape, floats);
  } else {
    std::copy_n(floats_ + layout.offset(block), (std::size_t{shape.dimension} + 1) * shape.stride,
                floats);
  }
}

}  // namespace cane
