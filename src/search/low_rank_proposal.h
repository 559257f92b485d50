// The narrow proposal: a softmax of low rank over all classes. K x rank multiply-adds an example,
// in a layout that is read in one stream; for K up to about 100,000.
#pragma once

#include "linear/scorers/flat_scorer.h"
#include "search/proposal.h"
#include "search/top_scores.h"

namespace cane {

class LowRankProposal final : public Proposal {
 public:
  LowRankProposal(const ClassScorer& scorer, const BlockLayout& projection,
                  WeightView projection_weights, std::uint32_t rank, const BlockLayout& classes,
                  WeightView class_weights)
      : Proposal(scorer, projection, projection_weights, rank),
        narrow_(scorer.classes(), classes, class_weights) {}

  std::unique_ptr<Selector::Workspace> make_workspace() const override {
    return std::make_unique<Workspace>();
  }
  /// Learning touches all classes three times over: a quarter of the examples is enough.
  std::uint32_t lesson(std::uint32_t examples) const override { return (examples + 3) / 4; }

 private:
  struct Workspace : Proposal::Workspace {
    std::vector<float> probabilities;  // scores at first, then e^score / e^best, for every class
    std::vector<float> best;           // score of every example
    std::vector<float> sums;           // of the exponentials; 0: still scores
    std::vector<float> block_sums;     // of the example prepared last, without the excluded
    std::vector<ClassId> excluded;
    double outside = 0.0;
    TopScores top;
  };

  std::uint64_t propose(std::uint32_t width, Proposal::Workspace& workspace) const override;
  bool prepare_outside(std::uint32_t example, std::span<const ClassId> excluded,
                       Proposal::Workspace& workspace) const override;
  Draw draw_outside(std::uint32_t example, double u, Proposal::Workspace& workspace) const override;
  double probability_outside(std::uint32_t example, ClassId label,
                             Proposal::Workspace& workspace) const override;
  float learn_classes(std::uint32_t example, ClassId label, float scale,
                      Proposal::Workspace& workspace, GradientParts& classes,
                      float* inputs) const override;
  float* exponentials(std::uint32_t example, Workspace& workspace) const;

  FlatScorer narrow_;
};

}  // namespace cane
