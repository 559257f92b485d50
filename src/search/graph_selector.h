// Candidates from a graph over the class vectors (candidates/graph_index.h), scored again with the
// current weights. The graph is a copy of the weights as they were when it was refreshed.
#pragma once

#include "linear/scorers/flat_scorer.h"
#include "search/graph_index.h"
#include "search/selector.h"

namespace cane {

class GraphSelector final : public Selector {
 public:
  /// refresh must come before the first select.
  explicit GraphSelector(const FlatScorer& scorer) : Selector(scorer), flat_(scorer) {}

  std::unique_ptr<Selector::Workspace> make_workspace() const override {
    return std::make_unique<Workspace>();
  }
  void select(std::span<const RowView> rows, const SelectionDraws& draws, std::uint32_t width,
              std::uint32_t keep, Selector::Workspace& workspace,
              Selection& selection) const override;
  bool needs_refresh() const override { return true; }
  void refresh(ThreadPool* pool) override;

 private:
  struct Workspace : Selector::Workspace {
    GraphIndex::Workspace search;
    std::vector<float> query;
    std::vector<ClassId> found;
    ClassLists proposed;
    std::vector<float> scores;
  };

  FlatScorer flat_;
  std::unique_ptr<const GraphIndex> index_;
};

}  // namespace cane
