// Random examples, dense or with every third feature, and a score computed in double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/random.h"
#include "core/base/row_view.h"

namespace cane::testing {

struct RandomRows {
  RandomRows(FeatureId dimension, std::uint32_t examples, bool sparse, std::uint64_t seed = 1) {
    const CounterRandom random(seed, RandomPurpose::kSynthetic);
    values.resize(std::size_t{examples} * dimension);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(random.normal(i, 1));
    }
    for (FeatureId i = 0; i < dimension; i += 3) indices.push_back(i);
    for (std::uint32_t e = 0; e < examples; ++e) {
      const float* row = values.data() + std::size_t{e} * dimension;
      rows.push_back(sparse
                         ? RowView{indices.data(), row, static_cast<std::uint32_t>(indices.size())}
                         : RowView{nullptr, row, dimension});
    }
  }

  std::vector<float> values;
  std::vector<FeatureId> indices;
  std::vector<RowView> rows;
};

/// The bias plus x times the weights, which are `stride` floats apart, the bias last.
inline double plain_dot(const RowView& row, const float* weights, std::size_t stride,
                        FeatureId dimension) {
  double sum = static_cast<double>(weights[dimension * stride]);
  for (std::uint32_t p = 0; p < row.count; ++p) {
    const std::size_t feature = row.indices == nullptr ? p : row.indices[p];
    sum += static_cast<double>(row.values[p]) * static_cast<double>(weights[feature * stride]);
  }
  return sum;
}

}  // namespace cane::testing
