// A flat table with random weights, in either layout.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/random.h"
#include "linear/scorers/flat_scorer.h"
#include "support/random_rows.h"

namespace cane::testing {

struct FlatTable {
  FlatTable(std::uint32_t class_count, std::uint32_t width, FeatureId dimension,
            std::uint64_t seed = 1)
      : classes(class_count),
        layout(BlockLayout::flat(class_count, width, dimension)),
        weights(layout.size(), 0.0F) {
    const CounterRandom random(seed, RandomPurpose::kSynthetic, 2);
    for (ClassId k = 0; k < classes; ++k) {
      for (FeatureId i = 0; i <= dimension; ++i) {
        at(k, i) = static_cast<float>(random.normal(k, i));
      }
    }
  }

  /// Feature `dimension` is the bias.
  float& at(ClassId label, FeatureId feature) {
    const std::uint32_t width = layout.widest_stride();
    return weights[layout.offset(label / width) + std::size_t{feature} * width + label % width];
  }

  FlatScorer scorer() const { return {classes, layout, weights.data()}; }

  double plain_score(const RowView& row, ClassId label) const {
    const std::uint32_t width = layout.widest_stride();
    return plain_dot(row, weights.data() + layout.offset(label / width) + label % width, width,
                     layout.dimension());
  }

  std::uint32_t classes;
  BlockLayout layout;
  std::vector<float> weights;
};

}  // namespace cane::testing
