// The step of every method that scores a few classes per example: builds the shortlist, evaluates
// the objective, and propagates the gradient to the weights of these classes. A proposal is trained
// on the same batch.
#pragma once

#include <memory>
#include <optional>

#include "cane/config.h"
#include "search/proposal.h"
#include "step/step_worker.h"
#include "train/steps/shortlist_batch.h"

namespace cane {

/// The proposal of one thread, which is part of its selector, and the gradients in its tables.
struct ProposalStep {
  ProposalWorker* proposal;
  std::optional<GradientParts> projection;  // none: it sees what the classes see
  GradientParts classes;
};

class ShortlistStep final : public StepWorker {
 public:
  /// `clip` bounds the norm of an example's gradient; 0: unbounded.
  ShortlistStep(const ShortlistParts& parts, ShortlistSources sources, Method method, float clip,
                std::unique_ptr<ClassGradient> gradient, std::optional<ProposalStep> proposal);

  StepStats compute(std::span<const std::uint32_t> examples, const CounterRandom& random) override;
  std::span<const TableGradient> gradients() const override { return gradients_; }

 private:
  void differentiate_proposal(std::span<const std::uint32_t> examples);

  const DatasetView& data_;
  Method method_;
  float clip_;
  ShortlistBatch batch_;
  std::unique_ptr<ClassGradient> gradient_;
  std::optional<ProposalStep> proposal_;
  std::vector<TableGradient> gradients_;
};

}  // namespace cane
