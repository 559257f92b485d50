#include "core/simd/softmax_columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "support/every_target.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr std::size_t kColumns = 32;

struct Sums {
  std::vector<float> values = std::vector<float>(3 * kColumns);
  ColumnSums view() {
    return {values.data(), values.data() + kColumns, values.data() + 2 * kColumns};
  }
};

TEST(SoftmaxColumns, SharesJoinedAreTheSoftmaxOfAllClasses) {
  const std::vector<std::size_t> sizes = {7, 1, 16};
  const CounterRandom random(1, RandomPurpose::kSynthetic);
  std::vector<float> scores(24 * kColumns);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    // The columns differ in size, so that a share far below the best one is met, too.
    scores[i] = static_cast<float>(random.normal(i, 0)) * static_cast<float>(i % kColumns) * 6.0F;
  }
  std::vector<float> offsets(24);
  for (std::size_t k = 0; k < 24; ++k) offsets[k] = 0.5F * static_cast<float>(k % 5);
  offsets[3] = -1e30F;  // does not count
  std::vector<float> shifted = scores;
  for (std::size_t i = 0; i < scores.size(); ++i) shifted[i] += offsets[i / kColumns];
  on_every_target([&] {
    std::vector<float> result = scores;
    std::vector<Sums> sums(sizes.size());
    std::vector<ColumnSums> shares;
    std::size_t first = 0;
    for (std::size_t share = 0; share < sizes.size(); ++share) {
      shares.push_back(sums[share].view());
      exponentiate_columns({result.data() + first * kColumns, kColumns}, offsets.data() + first,
                           sizes[share], kColumns, shares.back());
      first += sizes[share];
    }
    Sums joined;
    join_columns(shares, kColumns, joined.view());
    std::vector<float> factors(kColumns);
    for (std::size_t c = 0; c < kColumns; ++c) factors[c] = 2.0F / joined.view().sums[c];
    first = 0;
    for (std::size_t share = 0; share < sizes.size(); ++share) {
      scale_columns({result.data() + first * kColumns, kColumns}, sizes[share], kColumns,
                    shares[share].largest, joined.view().largest, factors.data());
      first += sizes[share];
    }
    for (std::size_t c = 0; c < kColumns; ++c) {
      float largest = shifted[c];
      for (std::size_t k = 0; k < 24; ++k) largest = std::max(largest, shifted[k * kColumns + c]);
      double sum = 0.0;
      double squares = 0.0;
      for (std::size_t k = 0; k < 24; ++k) {
        const double value = std::exp(static_cast<double>(shifted[k * kColumns + c] - largest));
        sum += value;
        squares += value * value;
      }
      ASSERT_EQ(joined.view().largest[c], largest);
      ASSERT_NEAR(joined.view().sums[c], sum, 1e-5 * sum);
      ASSERT_NEAR(joined.view().squares[c], squares, 1e-5 * squares);
      for (std::size_t k = 0; k < 24; ++k) {
        const double p = std::exp(static_cast<double>(shifted[k * kColumns + c] - largest)) / sum;
        ASSERT_NEAR(result[k * kColumns + c], 2.0 * p, 1e-5 * p + kLeastScaled);
      }
    }
  });
}

// Products with subnormal numbers are slow on some processors.
TEST(SoftmaxColumns, LeavesOutWhatMovesNoWeight) {
  on_every_target([&] {
    const std::vector<float> zeros(kColumnMultiple, 0.0F);
    const std::vector<float> factors(kColumnMultiple, -0.5F);
    std::vector<float> values(3 * kColumnMultiple, 1e-3F);
    std::fill_n(values.begin() + kColumnMultiple, kColumnMultiple, 1e-24F);
    std::fill_n(values.begin() + 2 * kColumnMultiple, kColumnMultiple, 1e-25F);
    scale_columns({values.data(), kColumnMultiple}, 3, kColumnMultiple, zeros.data(), zeros.data(),
                  factors.data());
    ASSERT_FLOAT_EQ(values[0], -5e-4F);
    ASSERT_FLOAT_EQ(values[kColumnMultiple], -5e-25F);
    ASSERT_EQ(values[2 * kColumnMultiple], 0.0F);
  });
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
