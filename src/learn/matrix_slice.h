// The step of the full softmax over contiguous rows: all classes of all examples by one matrix
// product, and the gradient as another.
#pragma once

#include "data/dataset_view.h"
#include "data/row_gather.h"
#include "learn/gradient_slice.h"
#include "model/flat_scorer.h"

namespace cane {

class MatrixSlice final : public GradientSlice {
 public:
  MatrixSlice(const DatasetView& data, const FlatScorer& scorer, float clip)
      : data_(data), scorer_(scorer), clip_(clip) {}

  SliceTotals compute(std::span<const std::uint32_t> examples,
                      const CounterRandom& random) override;
  const MatrixGradient* matrix() const override { return &gradient_; }

 private:
  const DatasetView& data_;
  FlatScorer scorer_;
  float clip_;
  RowGather rows_;
  ClassScorer::Workspace workspace_;
  std::vector<float> steps_;
  MatrixGradient gradient_ = {};
};

}  // namespace cane
