#include "core/simd/adaptive_row.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "core/simd/row_kernels.h"
#include "support/every_target.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr FeatureId kDimensions[] = {0, 1, 3, 8, 15, 16, 17, 33, 64, 127};

// Every third value is zero; so are some sums of squares.
struct Problem {
  Problem(FeatureId width, bool sparse) : dimension(width) {
    const CounterRandom random(5, RandomPurpose::kSynthetic);
    for (FeatureId i = 0; i <= dimension; ++i) {
      weights.push_back(static_cast<float>(random.normal(i, 0)));
      squares.push_back(i % 4 == 0 ? 0.0F : static_cast<float>(random.uniform(i, 1)));
    }
    for (FeatureId i = 0; i < dimension; i += sparse ? 2 : 1) {
      indices.push_back(i);
      values.push_back(i % 3 == 0 ? 0.0F : static_cast<float>(random.normal(i, 2)));
    }
    row = {sparse ? indices.data() : nullptr, values.data(),
           static_cast<std::uint32_t>(values.size())};
  }
  Problem(const Problem&) = delete;

  FeatureId feature(std::size_t p) const { return p < values.size() ? indices[p] : dimension; }
  float value(std::size_t p) const { return p < values.size() ? values[p] : 1.0F; }

  FeatureId dimension;
  std::vector<float> weights;
  std::vector<float> squares;
  std::vector<FeatureId> indices;
  std::vector<float> values;
  RowView row;
};

template <typename Body>
void for_every_problem(const Body& body) {
  on_every_target([&] {
    for (const FeatureId dimension : kDimensions) {
      for (const bool sparse : {false, true}) {
        SCOPED_TRACE(::testing::Message() << dimension << " features, sparse " << sparse);
        Problem problem(dimension, sparse);
        body(problem);
      }
    }
  });
}

TEST(AdaptiveRow, ScoresAsTheRowsOfATable) {
  for_every_problem([](Problem& problem) {
    const ClassId first = 0;
    float expected = 0.0F;
    score_rows(problem.weights.data(), 0, problem.dimension, problem.row, std::span(&first, 1),
               &expected);
    EXPECT_EQ(score_row(problem.weights.data(), problem.dimension, problem.row), expected);
  });
}

TEST(AdaptiveRow, AdaptsEveryWeightByItsOwnGradients) {
  constexpr float kG2 = 0.7F;
  for_every_problem([](Problem& problem) {
    const std::vector<float> before = problem.squares;
    std::vector<float> scaled(problem.values.size() + 1, -1.0F);
    const float moved =
        adapt_row(problem.dimension, problem.row, kG2, problem.squares.data(), scaled.data());
    double expected_moved = 0.0;
    for (std::size_t p = 0; p <= problem.values.size(); ++p) {
      const FeatureId feature = problem.feature(p);
      const float x = problem.value(p);
      const float sum = before[feature] + kG2 * x * x;
      EXPECT_NEAR(problem.squares[feature], sum, 1e-6F);
      const float step = sum == 0.0F ? 0.0F : x / std::sqrt(sum);
      EXPECT_NEAR(scaled[p], step, 1e-5F);
      expected_moved += static_cast<double>(x) * static_cast<double>(step);
    }
    EXPECT_NEAR(moved, expected_moved, 1e-4 * (1.0 + expected_moved));
  });
}

TEST(AdaptiveRow, AStepMovesTheScoreByWhatAdaptingSaid) {
  for_every_problem([](Problem& problem) {
    std::vector<float> scaled(problem.values.size() + 1);
    const float moved =
        adapt_row(problem.dimension, problem.row, 0.5F, problem.squares.data(), scaled.data());
    const float before = score_row(problem.weights.data(), problem.dimension, problem.row);
    step_row(problem.dimension, problem.row, -0.3F, scaled.data(), problem.weights.data());
    const float after = score_row(problem.weights.data(), problem.dimension, problem.row);
    EXPECT_NEAR(after - before, -0.3F * moved, 1e-3F * (1.0F + moved));
  });
}

TEST(AdaptiveRow, AGradientTooSmallToBeSquaredMovesNothing) {
  on_every_target([] {
    const std::vector<float> values(20, 1e-30F);
    std::vector<float> squares(21, 0.0F);
    std::vector<float> scaled(21, -1.0F);
    const float moved =
        adapt_row(20, {nullptr, values.data(), 20}, 1e-3F, squares.data(), scaled.data());
    EXPECT_TRUE(std::isfinite(moved));
    for (std::size_t p = 0; p < 20; ++p) EXPECT_EQ(scaled[p], 0.0F);
  });
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
