#include "core/simd/code_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/buffer.h"
#include "core/base/random.h"

namespace cane {
namespace CANE_THIS_FILE {

std::vector<float> vector_of(std::uint32_t number, FeatureId dimension) {
  const CounterRandom random(5, RandomPurpose::kSynthetic);
  std::vector<float> values(dimension);
  for (std::uint32_t i = 0; i < dimension; ++i) {
    values[i] = static_cast<float>(random.normal(number, i));
  }
  return values;
}

struct Query {
  explicit Query(const std::vector<float>& x)
      : values(code_values(static_cast<FeatureId>(x.size()))),
        query{values.data(), quantize_query(x, values.data())} {}
  std::vector<std::int16_t> values;
  CodeQuery query;
};

TEST(CodeKernels, ScoreWhatIsStored) {
  for (const FeatureId dimension : {1U, 2U, 3U, 4U, 31U, 128U, 1000U}) {
    SCOPED_TRACE(dimension);
    AlignedBuffer<std::byte> panels(2 * code_panel_bytes(dimension));
    clear_panel(dimension, panels.data());
    clear_panel(dimension, panels.data() + code_panel_bytes(dimension));
    const std::vector<float> x = vector_of(1000, dimension);
    std::vector<double> expected;
    for (std::uint32_t column = 0; column < 20; ++column) {
      std::vector<float> vector = vector_of(column, dimension);
      const std::vector<float> before = vector;
      store_code(vector, static_cast<float>(column), column % kCodeColumns,
                 panels.data() + column / kCodeColumns * code_panel_bytes(dimension));
      double score = 2.0 + column;
      for (std::size_t i = 0; i < dimension; ++i) {
        EXPECT_NEAR(vector[i], before[i], 4.5 / 254.0);  // half a step of the longest value
        score += static_cast<double>(x[i]) * static_cast<double>(vector[i]);
      }
      expected.push_back(score);
    }
    const Query query(x);
    std::vector<float> scores(2 * kCodeColumns);
    score_panels(panels.data(), 2, dimension, query.query, 2.0F, scores.data());
    // What remains is the error of the query in 16 bits.
    const double tolerance = 1e-3 * std::sqrt(static_cast<double>(dimension));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(scores[i], expected[i], tolerance) << i;
    }
    for (std::size_t i = expected.size(); i < scores.size(); ++i) {
      EXPECT_EQ(scores[i], -std::numeric_limits<float>::infinity());
    }
  }
}

TEST(CodeKernels, DoNotOverflow) {
  constexpr FeatureId kDimension = 5000;
  std::vector<float> vector(kDimension, 3.0F);
  AlignedBuffer<std::byte> panel(code_panel_bytes(kDimension));
  clear_panel(kDimension, panel.data());
  store_code(vector, 0.0F, 7, panel.data());
  const Query query(std::vector<float>(kDimension, -2.0F));
  std::vector<float> scores(kCodeColumns);
  score_panels(panel.data(), 1, kDimension, query.query, 0.0F, scores.data());
  EXPECT_NEAR(scores[7], -6.0F * kDimension, 1e-3F * kDimension);
}

TEST(CodeKernels, TakeWhatIsNoFiniteNumberForZero) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> vector = {nan, 1.0F, infinity, -1.0F};
  AlignedBuffer<std::byte> panel(code_panel_bytes(4));
  clear_panel(4, panel.data());
  store_code(vector, nan, 0, panel.data());
  EXPECT_EQ(vector, (std::vector<float>{0.0F, 1.0F, 0.0F, -1.0F}));
  std::vector<float> scores(kCodeColumns);
  score_panels(panel.data(), 1, 4, Query({1.0F, 1.0F, 1.0F, 0.0F}).query, 0.0F, scores.data());
  EXPECT_FLOAT_EQ(scores[0], 1.0F);
  score_panels(panel.data(), 1, 4, Query({0.0F, 0.0F, 0.0F, 0.0F}).query, 0.5F, scores.data());
  EXPECT_FLOAT_EQ(scores[0], 0.5F);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
