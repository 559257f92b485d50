// The step of the full softmax over contiguous rows: one matrix product scores all classes of all
// examples, and another gives the gradient.
#pragma once

#include "data/rows/dataset_view.h"
#include "data/rows/row_gather.h"
#include "linear/scorers/flat_scorer.h"
#include "train/steps/step_worker.h"

namespace cane {

class MatrixStep final : public StepWorker {
 public:
  MatrixStep(const DatasetView& data, const FlatScorer& scorer, float clip)
      : data_(data), scorer_(scorer), clip_(clip) {}

  StepStats compute(std::span<const std::uint32_t> examples, const CounterRandom& random) override;
  std::span<const TableGradient> gradients() const override { return std::span(&gradient_, 1); }

 private:
  const DatasetView& data_;
  FlatScorer scorer_;
  float clip_;
  RowGather rows_;
  ScoringScratch scratch_;
  std::vector<float> steps_;
  TableGradient gradient_ = {};
};

}  // namespace cane
