// Selectors that score all classes: the full softmax, and the oracle that other selectors are
// measured against. Their scorer must outlive them.
#pragma once

#include "search/selector.h"

namespace cane {

/// Every class is a candidate, in the order of their numbers: sorting them would be wasted on a
/// softmax.
class AllSelector final : public Selector {
 public:
  explicit AllSelector(const ClassScorer& scorer) : scorer_(scorer) {}
  std::unique_ptr<Worker> make_worker() const override;

 private:
  const ClassScorer& scorer_;
};

/// Takes the truly best classes.
class ExactSelector final : public Selector {
 public:
  explicit ExactSelector(const ClassScorer& scorer) : scorer_(scorer) {}
  std::unique_ptr<Worker> make_worker() const override;

 private:
  const ClassScorer& scorer_;
};

}  // namespace cane
