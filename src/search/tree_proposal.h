// A proposal with a softmax at every node of the class tree, over projected features or over what
// the classes see. It finds its best classes by beam search and samples noise by walking down the
// tree, in O(arity log K) each, for any K.
#pragma once

#include <limits>

#include "linear/scorers/tree_scorer.h"
#include "search/proposal.h"

namespace cane {

class TreeProposal final : public Proposal {
 public:
  /// Over projected features: `paths` normalises siblings. `scorer` must outlive the object.
  TreeProposal(const ClassScorer& scorer, const Projection& projection, const PathScorer& paths)
      : scorer_(scorer), projection_(projection), paths_(paths) {}
  /// The prior of `scorer`, which must outlive the object: what it proposes is scored without
  /// visiting a node twice. Nodes and classes whose log-probability is `margin` below the best of
  /// their level are not proposed.
  TreeProposal(const PriorScorer& scorer, float margin)
      : scorer_(scorer), paths_(scorer.paths()), prior_(&scorer), margin_(margin) {}

  static constexpr float kNoMargin = std::numeric_limits<float>::infinity();

  std::unique_ptr<ProposalWorker> make_proposal_worker() const override;

 private:
  const ClassScorer& scorer_;
  Projection projection_;
  PathScorer paths_;
  const PriorScorer* prior_ = nullptr;
  float margin_ = kNoMargin;
};

}  // namespace cane
