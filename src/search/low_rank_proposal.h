// A proposal that is a softmax of low rank over all classes. K x rank multiply-adds an example, in
// a layout that is read in one stream; for K up to about 100,000.
#pragma once

#include "linear/scorers/flat_scorer.h"
#include "search/proposal.h"

namespace cane {

class LowRankProposal final : public Proposal {
 public:
  /// `low_rank` scores the projected features. `scorer` must outlive this.
  LowRankProposal(const ClassScorer& scorer, const Projection& projection,
                  const FlatScorer& low_rank)
      : scorer_(scorer), projection_(projection), low_rank_(low_rank) {}

  std::unique_ptr<ProposalWorker> make_proposal_worker() const override;

 private:
  const ClassScorer& scorer_;
  Projection projection_;
  FlatScorer low_rank_;
};

}  // namespace cane
