// Selectors that score all classes: the full softmax, and the oracle against which other selectors
// are measured. The scorer must outlive them.
#pragma once

#include "search/selector.h"

namespace cane {

/// Returns every class as a candidate, in class order: a softmax does not need them sorted.
class AllSelector final : public Selector {
 public:
  explicit AllSelector(const ClassScorer& scorer) : scorer_(scorer) {}
  std::unique_ptr<Worker> make_worker() const override;

 private:
  const ClassScorer& scorer_;
};

/// Returns the exact best classes.
class ExactSelector final : public Selector {
 public:
  explicit ExactSelector(const ClassScorer& scorer) : scorer_(scorer) {}
  std::unique_ptr<Worker> make_worker() const override;

 private:
  const ClassScorer& scorer_;
};

}  // namespace cane
