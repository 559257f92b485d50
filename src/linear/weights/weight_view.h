// The weights of a table as they are stored: floats while it is trained, and in most models; 8 or
// 16 bits in a quantized one (core/simd/quantized_kernels.h). Whoever scores need not know which.
// Copies nothing; the weights and the layout they are used with must outlive it.
#pragma once

#include <cassert>
#include <span>
#include <vector>

#include "core/base/buffer.h"
#include "core/simd/quantized_kernels.h"
#include "linear/weights/block_layout.h"

namespace cane {

class WeightView {
 public:
  WeightView() = default;
  WeightView(const float* floats) : floats_(floats) {}
  WeightView(const QuantizedWeights& quantized) : is_quantized_(true), quantized_(quantized) {}

  bool is_quantized() const { return is_quantized_; }
  /// To learn with, and for products of matrices: of a table that is not quantized.
  const float* floats() const {
    assert(!is_quantized());
    return floats_;
  }
  const QuantizedWeights& quantized() const { return quantized_; }

  /// The scores of all columns of a block, as score_block().
  void score_block(const BlockLayout& layout, NodeId block, std::span<const ScoreTask> tasks) const;
  /// In a layout of rows: the scores of some of them, as score_rows().
  void score_rows(const BlockLayout& layout, const RowView& row, std::span<const ClassId> numbers,
                  float* scores) const;
  /// In a flat layout: the weights of a class, then its bias, dimension + 1 floats.
  void decode_column(const BlockLayout& layout, ClassId number, std::span<float> floats) const;
  /// A copy of a block as floats, biases in its last row.
  void decode(const BlockLayout& layout, NodeId block, float* floats) const;

 private:
  QuantizedWeights block_of(const BlockLayout& layout, NodeId block) const;

  const float* floats_ = nullptr;
  bool is_quantized_ = false;  // an empty table has no weights to tell it
  QuantizedWeights quantized_ = {};
};

/// The weights of all tables of a model, in their order.
using WeightViews = std::vector<WeightView>;

inline WeightViews views_of(const std::vector<AlignedBuffer<float>>& weights) {
  WeightViews views;
  for (const AlignedBuffer<float>& table : weights) views.emplace_back(table.data());
  return views;
}

}  // namespace cane
