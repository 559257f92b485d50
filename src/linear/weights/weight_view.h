// A non-owning view of the weights of a table: floats during training and in most models, 8 or 16
// bits in a quantized model (core/simd/quantized_kernels.h). Scoring code need not know which. The
// weights and the layout they are used with must outlive the view.
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
  /// The floats, for training and matrix products; the table must not be quantized.
  const float* floats() const {
    assert(!is_quantized());
    return floats_;
  }
  const QuantizedWeights& quantized() const { return quantized_; }

  /// Scores of all columns of a block, as score_block().
  void score_block(const BlockLayout& layout, NodeId block, std::span<const ScoreTask> tasks) const;
  /// Asks for a block that will be scored next, if it is of a size that a cache near the core
  /// holds.
  void prefetch_block(const BlockLayout& layout, NodeId block) const;
  /// For a layout of rows: scores of the given rows, as score_rows().
  void score_rows(const BlockLayout& layout, const RowView& row, std::span<const ClassId> numbers,
                  float* scores) const;
  /// Asks for the first of these rows, as many as it is worth to ask for before they are scored.
  void prefetch_rows(const BlockLayout& layout, std::span<const ClassId> numbers) const;
  /// For a flat layout: the weights of a class, then its bias, dimension + 1 floats.
  void decode_column(const BlockLayout& layout, ClassId number, std::span<float> floats) const;
  /// A copy of a block as floats, biases in its last row.
  void decode(const BlockLayout& layout, NodeId block, float* floats) const;

 private:
  QuantizedWeights block_of(const BlockLayout& layout, NodeId block) const;

  const float* floats_ = nullptr;
  bool is_quantized_ = false;  // kept because an empty table has no weights that show it
  QuantizedWeights quantized_ = {};
};

/// The weights of all tables of a model, in the order of the tables.
using WeightViews = std::vector<WeightView>;

inline WeightViews views_of(const std::vector<AlignedBuffer<float>>& weights) {
  WeightViews views;
  for (const AlignedBuffer<float>& table : weights) views.emplace_back(table.data());
  return views;
}

}  // namespace cane
