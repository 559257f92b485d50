#include "train/steps/shortlist_step.h"

#include <utility>

#include "linear/weights/parameter_table.h"

namespace cane {

ShortlistStep::ShortlistStep(const ShortlistParts& parts, ShortlistSources sources, Method method,
                             float clip, std::unique_ptr<ClassGradient> gradient,
                             std::optional<ProposalStep> proposal)
    : data_(*parts.data),
      method_(method),
      clip_(clip),
      batch_(parts, std::move(sources)),
      gradient_(std::move(gradient)),
      proposal_(std::move(proposal)) {}

StepStats ShortlistStep::compute(std::span<const std::uint32_t> examples,
                                 const CounterRandom& random) {
  batch_.fill(examples, random);
  gradient_->clear();
  const StepStats totals = batch_.differentiate(method_, examples, clip_);
  for (std::uint32_t e = 0; e < batch_.size(); ++e) {
    const ShortlistSteps steps = batch_.steps(e);
    gradient_->add(e, steps.classes, steps.gradient, steps.scale);
  }
  gradients_.assign(1, {kClassTable, gradient_.get(), batch_.rows(), true});
  if (proposal_) differentiate_proposal(examples);
  const bool trains_encoder = proposal_ && !proposal_->projection;
  batch_.back(*gradient_, trains_encoder ? &proposal_->classes : nullptr, gradients_);
  return totals;
}

void ShortlistStep::differentiate_proposal(std::span<const std::uint32_t> examples) {
  auto& [proposal, projection, classes] = *proposal_;
  if (projection) projection->clear();
  classes.clear();
  const std::uint32_t count = proposal->num_to_learn();
  for (std::uint32_t e = 0; e < count; ++e) {
    proposal->learn(e, data_.label(examples[e]), data_.weight(examples[e]), classes,
                    projection ? projection->add_part(e, 0) : nullptr);
  }
  if (projection) gradients_.push_back({kProjectionTable, &*projection, batch_.rows()});
  const std::size_t table = (projection ? kProjectionTable : kClassTable) + 1;
  gradients_.push_back({table, &classes, proposal->projected(), true});
}

}  // namespace cane
