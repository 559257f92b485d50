// Scores with a table that has one row per linear classifier.
#pragma once

#include <cstdint>
#include <span>

#include "linear/weights/weight_view.h"

namespace cane {

class RowScorer {
 public:
  /// Both must outlive this.
  RowScorer(const BlockLayout& layout, WeightView weights) : layout_(&layout), weights_(weights) {}

  float score(std::uint32_t number, const RowView& row) const {
    float total = 0.0F;
    score(std::span(&number, 1), row, &total);
    return total;
  }
  void score(std::span<const std::uint32_t> numbers, const RowView& row, float* scores) const {
    weights_.score_rows(*layout_, row, numbers, scores);
  }

 private:
  const BlockLayout* layout_;
  WeightView weights_;
};

}  // namespace cane
