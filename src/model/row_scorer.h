// A table with a row for every linear classifier, to score with.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/adaptive_row.h"
#include "kernels/row_kernels.h"
#include "model/block_layout.h"

namespace cane {

class RowScorer {
 public:
  /// Both must outlive this.
  RowScorer(const BlockLayout& layout, const float* weights)
      : layout_(&layout), weights_(weights) {}

  float score(std::uint32_t number, const RowView& row) const {
    return score_row(weights_ + layout_->offset(number), layout_->dimension(), row);
  }
  void score(std::span<const std::uint32_t> numbers, const RowView& row, float* scores) const {
    score_rows(weights_, layout_->pitch(), layout_->dimension(), row, numbers, scores);
  }

 private:
  const BlockLayout* layout_;
  const float* weights_;
};

}  // namespace cane
