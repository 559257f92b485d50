// The scorer of a model under its concrete type, for selectors that need more than the ClassScorer
// interface. Asking for the wrong type is a programming error and throws std::logic_error.
#pragma once

#include <memory>
#include <stdexcept>
#include <utility>

#include "linear/scorers/flat_scorer.h"
#include "linear/scorers/tree_scorer.h"

namespace cane {

class ModelScorer {
 public:
  explicit ModelScorer(std::unique_ptr<TreeScorer> scorer)
      : tree_(scorer.get()), scorer_(std::move(scorer)) {}
  explicit ModelScorer(std::unique_ptr<FlatScorer> scorer)
      : flat_(scorer.get()), scorer_(std::move(scorer)) {}
  explicit ModelScorer(std::unique_ptr<PriorScorer> scorer)
      : prior_(scorer.get()), scorer_(std::move(scorer)) {}
  /// A scorer that no selector asks for by its type.
  explicit ModelScorer(std::unique_ptr<ClassScorer> scorer) : scorer_(std::move(scorer)) {}

  const ClassScorer& any() const { return *scorer_; }
  const TreeScorer& tree() const { return get(tree_); }
  const FlatScorer& flat() const { return get(flat_); }
  const PriorScorer& prior() const { return get(prior_); }

  /// References returned earlier stay valid.
  std::unique_ptr<ClassScorer> take() && { return std::move(scorer_); }

 private:
  template <typename Scorer>
  static const Scorer& get(const Scorer* scorer) {
    if (scorer == nullptr) throw std::logic_error("the model has a scorer of another type");
    return *scorer;
  }

  const TreeScorer* tree_ = nullptr;
  const FlatScorer* flat_ = nullptr;
  const PriorScorer* prior_ = nullptr;
  std::unique_ptr<ClassScorer> scorer_;
};

}  // namespace cane
