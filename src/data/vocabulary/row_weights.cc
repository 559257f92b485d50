#include "data/vocabulary/row_weights.h"

#include <cmath>
#include <cstddef>

namespace cane {
namespace {

void scale_to_length_one(std::span<float> values) {
  double squares = 0.0;
  for (const float value : values)
    squares += static_cast<double>(value) * static_cast<double>(value);
  if (squares == 0.0) return;
  const double scale = 1.0 / std::sqrt(squares);
  for (float& value : values) value = static_cast<float>(static_cast<double>(value) * scale);
}

// Most counts are one.
float damped(float count) {
  return count > 1.0F ? 1.0F + std::log(count) : count;
}

}  // namespace

void RowWeights::apply(std::span<const FeatureId> features, std::span<float> values) const {
  if (kind_ == FeatureWeights::kBinary) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool is_weighted = factors_.empty() || factors_[features[i]] != 0.0F;
      if (is_weighted) values[i] = values[i] != 0.0F ? 1.0F : 0.0F;
    }
  } else if (kind_ == FeatureWeights::kTfidf) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float factor = factors_[features[i]];
      if (factor != 0.0F) values[i] = damped(values[i]) * factor;
    }
  }
  if (scales_) scale_to_length_one(values);
}

}  // namespace cane
