#include "train/steps/shortlist_step.h"

#include <utility>

#include "linear/weights/parameter_table.h"
#include "methods/with_objective.h"

namespace cane {

ShortlistStep::ShortlistStep(const ShortlistParts& parts, ShortlistSources sources, Method method,
                             float clip, std::unique_ptr<ClassGradient> gradient,
                             std::optional<ProposalStep> proposal)
    : data_(*parts.data),
      method_(method),
      classes_(parts.scorer->classes()),
      clip_(clip),
      batch_(parts, std::move(sources)),
      gradient_(std::move(gradient)),
      proposal_(std::move(proposal)) {}

StepStats ShortlistStep::compute(std::span<const std::uint32_t> examples,
                                 const CounterRandom& random) {
  batch_.fill(examples, random);
  gradient_->clear();
  const StepStats totals = with_objective(
      method_, classes_, [&](const auto& objective) { return differentiate(objective, examples); });
  gradients_.assign(1, {kClassTable, gradient_.get(), batch_.rows(), true});
  if (proposal_) differentiate_proposal(examples);
  const bool trains_encoder = proposal_ && !proposal_->projection;
  batch_.back(*gradient_, trains_encoder ? &proposal_->classes : nullptr, gradients_);
  return totals;
}

template <typename Objective>
StepStats ShortlistStep::differentiate(const Objective& objective,
                                       std::span<const std::uint32_t> examples) {
  StepStats totals;
  totals.rows_scored = batch_.rows_scored();
  totals.examples = examples.size();
  for (std::uint32_t e = 0; e < examples.size(); ++e) {
    const Shortlist shortlist = batch_.shortlist(e);
    score_gradient_.resize(shortlist.size());
    const float loss = objective(shortlist, batch_.scores(e).data(), score_gradient_.data());
    const float weight = data_.weight(examples[e]);
    totals.loss += static_cast<double>(weight) * static_cast<double>(loss);
    totals.weight += static_cast<double>(weight);
    totals.covered += shortlist.label_at < shortlist.candidates ? 1 : 0;
    gradient_->add(e, batch_.classes(e), score_gradient_,
                   clipped_weight(weight, clip_, score_gradient_, batch_.rows()[e]));
  }
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
