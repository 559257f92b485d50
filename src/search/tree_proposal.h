// A low-rank proposal with a softmax at every node of the class tree. It finds its best classes by
// beam search and samples noise by walking down the tree, in O(arity log K) each, for any K.
#pragma once

#include "linear/scorers/path_scorer.h"
#include "search/proposal.h"

namespace cane {

class TreeProposal final : public Proposal {
 public:
  /// `paths` normalises siblings over projected features; its weights are `class_weights`. `scorer`
  /// must outlive the object.
  TreeProposal(const ClassScorer& scorer, const Projection& projection, const PathScorer& paths,
               WeightView class_weights)
      : scorer_(scorer), projection_(projection), paths_(paths), class_weights_(class_weights) {}

  std::unique_ptr<ProposalWorker> make_proposal_worker() const override;

 private:
  const ClassScorer& scorer_;
  Projection projection_;
  PathScorer paths_;
  WeightView class_weights_;
};

}  // namespace cane
