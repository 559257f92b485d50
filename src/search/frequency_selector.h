// The paper's selector for words: a tree of one layer whose nodes are subsets of classes. It takes
// the subset with the best score and draws the candidates from it uniformly without replacement. It
// returns fewer than requested if the subset is smaller.
#pragma once

#include "linear/scorers/tree_scorer.h"
#include "search/selector.h"

namespace cane {

class FrequencySelector final : public Selector {
 public:
  /// The scorer must outlive the object.
  explicit FrequencySelector(const TreeScorer& scorer) : scorer_(scorer) {}
  std::unique_ptr<Worker> make_worker() const override;

 private:
  const TreeScorer& scorer_;
};

}  // namespace cane
