// The paper's selector for words: a tree of one layer whose nodes are subsets of classes. The
// subset with the best score is taken, and the candidates are drawn from it uniformly, without
// replacement.
#pragma once

#include "linear/scorers/tree_scorer.h"
#include "search/selector.h"

namespace cane {

class FrequencySelector final : public Selector {
 public:
  explicit FrequencySelector(const TreeScorer& scorer) : Selector(scorer), tree_scorer_(scorer) {}

  std::unique_ptr<Selector::Workspace> make_workspace() const override {
    return std::make_unique<Workspace>();
  }
  /// Finds fewer than `keep` where the subset is smaller.
  void select(std::span<const RowView> rows, const SelectionDraws& draws, std::uint32_t width,
              std::uint32_t keep, Selector::Workspace& workspace,
              Selection& selection) const override;

 private:
  struct Workspace : Selector::Workspace {
    std::vector<NodePair> pairs;
    std::vector<float> subset_scores;
    ClassLists drawn;
    std::vector<float> scores;
  };
  void draw(const CounterRandom& random, std::uint32_t number, NodeId subset, std::uint32_t count,
            ClassLists& drawn) const;

  TreeScorer tree_scorer_;
};

}  // namespace cane
