// Selects candidates with a graph over the class vectors (search/graph_index.h) and rescores them
// with the current weights. The graph holds a copy of the weights as of the last refresh.
#pragma once

#include "linear/scorers/flat_scorer.h"
#include "search/graph_index.h"
#include "search/selector.h"

namespace cane {

class GraphSelector final : public Selector {
 public:
  /// refresh must be called before the first select. The scorer must outlive the object.
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
