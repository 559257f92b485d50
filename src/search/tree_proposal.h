// The tree proposal: low rank, and a softmax at every node of the class tree. Its best classes come
// from a beam, its noises from walking down the tree, O(arity log K) each, for any K.
#pragma once

#include "search/beam_search.h"
#include "search/outside_tree.h"
#include "search/proposal.h"

namespace cane {

class TreeProposal final : public Proposal {
 public:
  /// `paths` normalises siblings, over projected features.
  TreeProposal(const ClassScorer& scorer, const BlockLayout& projection,
               WeightView projection_weights, std::uint32_t rank, const PathScorer& paths,
               WeightView class_weights)
      : Proposal(scorer, projection, projection_weights, rank),
        search_(paths),
        class_weights_(class_weights) {}

  std::unique_ptr<Selector::Workspace> make_workspace() const override {
    return std::make_unique<Workspace>();
  }
  std::uint32_t lesson(std::uint32_t examples) const override { return examples; }

 private:
  struct Workspace : Proposal::Workspace {
    BeamSearch::Workspace beam;
    Selection found;
    OutsideTree outside;
    std::vector<float> children;
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
  void probabilities(std::uint32_t example, std::uint32_t depth, NodeId node, Workspace& workspace,
                     float* children) const;

  BeamSearch search_;
  WeightView class_weights_;
};

}  // namespace cane
