// The step of the hierarchical softmax: at every node of the label's path, the logistic loss of a
// softmax over the children.
#pragma once

#include "data/rows/dataset_view.h"
#include "linear/scorers/path_scorer.h"
#include "step/encoded_rows.h"
#include "step/step_worker.h"

namespace cane {

class PathStep final : public StepWorker {
 public:
  /// `scorer` normalises siblings.
  PathStep(const DatasetView& data, const EncoderParts& encoder, const PathScorer& scorer,
           float clip)
      : data_(data),
        scorer_(scorer),
        clip_(clip),
        rows_(data, encoder),
        gradient_(scorer.layout()) {}

  StepStats compute(std::span<const std::uint32_t> examples, const CounterRandom& random) override;
  std::span<const TableGradient> gradients() const override { return gradients_; }

 private:
  const DatasetView& data_;
  PathScorer scorer_;
  float clip_;
  EncodedRows rows_;
  PathScratch scratch_;
  std::vector<NodePair> pairs_;
  std::vector<float> scores_;
  std::vector<float> score_gradient_;  // of one example, for all nodes of its path
  GradientParts gradient_;
  std::vector<TableGradient> gradients_;
};

}  // namespace cane
