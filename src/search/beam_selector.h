// The paper's selector: beam search over the tree (Alg. 3).
#pragma once

#include "linear/scorers/tree_scorer.h"
#include "search/beam_search.h"
#include "search/selector.h"

namespace cane {

class BeamSelector final : public Selector {
 public:
  explicit BeamSelector(const TreeScorer& scorer) : Selector(scorer), search_(scorer.paths()) {}

  std::unique_ptr<Selector::Workspace> make_workspace() const override {
    return std::make_unique<Workspace>();
  }
  void select(std::span<const RowView> rows, const SelectionDraws& /*draws*/, std::uint32_t width,
              std::uint32_t keep, Selector::Workspace& workspace,
              Selection& selection) const override {
    search_.search(rows, width, keep, static_cast<Workspace&>(workspace).beam, selection);
  }
  /// Only what the search did not visit is scored.
  std::uint64_t score(std::span<const RowView> rows, const ClassLists& lists,
                      Selector::Workspace& workspace, float* scores) const override {
    return search_.score_classes(rows, lists, static_cast<Workspace&>(workspace).beam, scores);
  }

 private:
  struct Workspace : Selector::Workspace {
    BeamSearch::Workspace beam;
  };
  BeamSearch search_;
};

}  // namespace cane
