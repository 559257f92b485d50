// A proposal that is a low-rank softmax over all classes. It costs K x rank multiply-adds per
// example, in a layout that is read sequentially; suitable for K up to roughly 100,000.
#pragma once

#include "linear/scorers/flat_scorer.h"
#include "search/proposal.h"

namespace cane {

class LowRankProposal final : public Proposal {
 public:
  /// `low_rank` scores the projected features. `scorer` must outlive the object.
  LowRankProposal(const ClassScorer& scorer, const Projection& projection,
                  const FlatScorer& low_rank)
      : scorer_(scorer), projection_(projection), low_rank_(low_rank) {}

  std::unique_ptr<ProposalWorker> make_proposal_worker() const override;

 private:
  const ClassScorer& scorer_;
  Projection projection_;
  FlatScorer low_rank_;
};

/// Adds the steps on the likelihood of the label, which may be kUnknownClass if it is elsewhere,
/// times `scale`: the class of `masses[k]` has the probability masses[k] * per_mass / scale. Adds
/// those in the inputs unless these are null.
void add_likelihood_steps(const FlatScorer& low_rank, std::uint32_t example, const float* masses,
                          float per_mass, ClassId label, float scale, GradientParts& classes,
                          float* inputs);

}  // namespace cane
