// Candidates from a graph over the class vectors (search/graph_index.h), scored again with the
// current weights. The graph is a copy of the weights as they were when it was refreshed.
#pragma once

#include "linear/scorers/flat_scorer.h"
#include "search/graph_index.h"
#include "search/selector.h"

namespace cane {

class GraphSelector final : public Selector {
 public:
  /// refresh must come before the first select. The scorer must outlive this.
  explicit GraphSelector(const FlatScorer& scorer) : scorer_(scorer) {}

  std::unique_ptr<Worker> make_worker() const override;
  bool needs_refresh() const override { return true; }
  void refresh(ThreadPool* pool) override;

  const FlatScorer& scorer() const { return scorer_; }
  const GraphIndex& index() const { return *index_; }

 private:
  const FlatScorer& scorer_;
  std::unique_ptr<const GraphIndex> index_;
};

}  // namespace cane
