// The step of every method that scores a few classes of an example: shortlist, objective, and the
// gradient carried back to the weights of these classes. A proposal learns beside it.
#pragma once

#include <memory>

#include "core/objective/dispatch.h"
#include "search/proposal.h"
#include "train/steps/shortlist_batch.h"
#include "train/steps/step_worker.h"

namespace cane {

class ShortlistStep final : public StepWorker {
 public:
  /// `clip`: the longest gradient of an example; 0: any. `proposal_tables`: of the projection and
  /// of the classes, none without a proposal.
  ShortlistStep(const ShortlistParts& parts, ObjectiveKind objective, float clip,
                std::unique_ptr<ClassGradient> gradient,
                std::span<const BlockLayout* const> proposal_tables);

  StepStats compute(std::span<const std::uint32_t> examples, const CounterRandom& random) override;
  std::span<const TableGradient> gradients() const override { return gradients_; }

 private:
  template <typename Objective>
  StepStats differentiate(const Objective& objective, std::span<const std::uint32_t> examples);
  void teach_proposal(std::span<const std::uint32_t> examples);

  const DatasetView& data_;
  ObjectiveKind objective_;
  std::uint32_t classes_;
  float clip_;
  ShortlistBatch batch_;
  std::vector<float> score_gradient_;
  std::unique_ptr<ClassGradient> gradient_;
  std::vector<GradientParts> proposal_gradients_;  // of the projection, of the classes
  std::vector<TableGradient> gradients_;
};

}  // namespace cane
