// A row that a caller gives as pairs of index and value, weighted as the model's vocabulary says.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cane/error.h"
#include "cane/predict.h"
#include "core/base/row_view.h"
#include "data/vocabulary/row_weights.h"
#include "data/vocabulary/vocabulary.h"

namespace cane {

class FeatureRow {
 public:
  /// Features beyond the vocabulary's dimension are left out. Throws Error unless indices increase.
  FeatureRow(std::span<const Feature> features, const Vocabulary& vocabulary) {
    for (const Feature& feature : features) {
      if (!indices_.empty() && feature.index <= indices_.back()) {
        throw Error("the feature indices are not increasing; sort them and merge equal ones");
      }
      if (feature.index >= vocabulary.dimension) continue;
      indices_.push_back(feature.index);
      values_.push_back(feature.value);
    }
    RowWeights(vocabulary).apply(indices_, values_);
  }

  RowView view() const {
    return {indices_.data(), values_.data(), static_cast<std::uint32_t>(indices_.size())};
  }

 private:
  std::vector<FeatureId> indices_;
  std::vector<float> values_;
};

}  // namespace cane
