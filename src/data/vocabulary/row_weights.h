// What the counts in a row become: weights, then a row of length one, as the vocabulary says.
#pragma once

#include <span>

#include "cane/data_options.h"
#include "core/base/types.h"
#include "data/vocabulary/vocabulary.h"

namespace cane {

/// Const and thread-safe; what it was made from must outlive it.
class RowWeights {
 public:
  RowWeights() = default;
  explicit RowWeights(const Vocabulary& vocabulary)
      : kind_(vocabulary.weights),
        factors_(vocabulary.factors),
        scales_(vocabulary.normalize == Normalize::kL2) {}

  /// Whether apply() leaves every row as it is.
  bool do_nothing() const { return kind_ == FeatureWeights::kCount && !scales_; }

  /// The values of a row whose features are below the dimension. With tfidf, a count becomes
  /// (1 + ln count), or itself below one, times the factor of the feature; with binary it becomes
  /// one. A feature whose factor is 0 keeps its value.
  void apply(std::span<const FeatureId> features, std::span<float> values) const;

 private:
  FeatureWeights kind_ = FeatureWeights::kCount;
  std::span<const float> factors_;
  bool scales_ = false;
};

}  // namespace cane
