#include "online/row_learner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/random.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr FeatureId kDimension = 9;
constexpr std::uint32_t kRows = 3;

struct Table {
  Table() : layout(BlockLayout::flat(kRows, 1, kDimension)), weights(layout.size(), 0.0F) {
    squares.assign(std::size_t{kRows} * (kDimension + 1), 0.0F);
  }
  RowLearner learner() { return {layout, weights.data(), squares.data()}; }

  BlockLayout layout;
  std::vector<float> weights;
  std::vector<float> squares;
};

std::vector<float> random_values(std::uint64_t example) {
  const CounterRandom random(4, RandomPurpose::kSynthetic);
  std::vector<float> values;
  for (FeatureId i = 0; i < kDimension; ++i) {
    values.push_back(static_cast<float>(2.0 * random.uniform(example, i) - 1.0));
  }
  return values;
}

RowView view(const std::vector<float>& values) {
  return {nullptr, values.data(), static_cast<std::uint32_t>(values.size())};
}

TEST(RowLearner, TakesTheStepOfItsFormula) {
  Table table;
  RowLearner learner = table.learner();
  std::vector<float> scratch;
  std::vector<double> weights(kDimension + 1, 0.0);
  std::vector<double> squares(kDimension + 1, 0.0);
  for (std::uint64_t example = 0; example < 200; ++example) {
    std::vector<float> values = random_values(example);
    const float score = learner.score(1, view(values));
    const bool positive = values[0] + values[3] > 0.0F;
    const float weight = 0.5F + static_cast<float>(example % 3);
    learner.learn(1, view(values), {score, positive, weight, 0.3F}, scratch);

    values.push_back(1.0F);  // the bias
    double plain = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      plain += weights[i] * static_cast<double>(values[i]);
    }
    ASSERT_NEAR(score, plain, 1e-4);
    const double distance = (positive ? 1.0 : -1.0) - std::clamp(plain, -1.0, 1.0);
    if (distance == 0.0) continue;
    double moved = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto x = static_cast<double>(values[i]);
      squares[i] += 4.0 * distance * distance * static_cast<double>(weight) * x * x;
      moved += x * x / std::sqrt(squares[i]);
    }
    const double share = 1.0 - std::exp(-2.0 * 0.3 * static_cast<double>(weight) * moved);
    for (std::size_t i = 0; i < values.size(); ++i) {
      weights[i] +=
          distance * share / moved * static_cast<double>(values[i]) / std::sqrt(squares[i]);
    }
  }
}

TEST(RowLearner, NeverOvershootsHoweverHeavyTheExample) {
  for (const float weight : {1e-6F, 1.0F, 1e4F, 1e20F}) {
    for (const float rate : {0.01F, 1.0F, 1e10F}) {
      Table table;
      RowLearner learner = table.learner();
      std::vector<float> scratch;
      const std::vector<float> values = random_values(1);
      for (int i = 0; i < 5; ++i) {
        const float before = learner.score(0, view(values));
        learner.learn(0, view(values), {before, true, weight, rate}, scratch);
        const float after = learner.score(0, view(values));
        EXPECT_GE(after, before - 1e-5F);
        EXPECT_LE(after, 1.0F + 1e-4F);
      }
    }
  }
}

TEST(RowLearner, ASureAnswerTeachesNothing) {
  Table table;
  RowLearner learner = table.learner();
  std::vector<float> scratch;
  const std::vector<float> values = random_values(2);
  learner.learn(0, view(values), {1.5F, true, 1.0F, 0.5F}, scratch);
  learner.learn(0, view(values), {-1.0F, false, 1.0F, 0.5F}, scratch);
  learner.learn(0, view(values), {0.3F, true, 0.0F, 0.5F}, scratch);
  for (const float weight : table.weights) EXPECT_EQ(weight, 0.0F);
  for (const float square : table.squares) EXPECT_EQ(square, 0.0F);
}

// A row that has learned something.
RowLearner taught(Table& table) {
  RowLearner learner = table.learner();
  std::vector<float> scratch;
  for (std::uint64_t example = 10; example < 30; ++example) {
    const std::vector<float> values = random_values(example);
    const float score = learner.score(1, view(values));
    learner.learn(1, view(values), {score, values[2] > 0.0F, 1.0F, 0.2F}, scratch);
  }
  return learner;
}

TEST(RowLearner, PullsAtItsInputsByTheGradientOfTheSquaredDistance) {
  constexpr double kWeight = 1.5;
  for (const bool positive : {false, true}) {
    Table table;
    RowLearner learner = taught(table);
    std::vector<float> values = random_values(31);
    const auto loss = [&] { return kWeight * row_loss(learner.score(1, view(values)), positive); };
    std::vector<double> gradient;
    for (float& value : values) {
      constexpr float kDelta = 1e-2F;  // of a quadratic: central differences are exact
      const float before = value;
      value = before + kDelta;
      const double above = loss();
      value = before - kDelta;
      gradient.push_back((above - loss()) / (2.0 * static_cast<double>(kDelta)));
      value = before;
    }
    const float score = learner.score(1, view(values));
    ASSERT_LT(std::abs(score), 0.9F);
    std::vector<float> scratch;
    std::vector<float> pull(kDimension, 0.5F);  // it adds
    learner.learn(1, view(values), {score, positive, kWeight, 1e-5F, pull.data()}, scratch);
    for (FeatureId i = 0; i < kDimension; ++i) {
      EXPECT_NEAR(pull[i] - 0.5F, -gradient[i], 1e-3) << "feature " << i;
    }
    EXPECT_GT(std::abs(gradient[2]), 0.01);
  }
}

TEST(RowLearner, PullsAtItsInputsAsItsSmallStepsWouldTogether) {
  // The sums of squares are large, so that they hardly change on the way.
  constexpr int kSteps = 20'000;
  constexpr float kRate = 30.0F;
  Table table;
  RowLearner learner = taught(table);
  for (float& square : table.squares) square = 1e4F;
  Table small = table;
  RowLearner in_small_steps = small.learner();
  const std::vector<float> values = random_values(31);
  const float* row = table.weights.data() + table.layout.offset(1);
  const std::vector<float> before(row, row + kDimension);
  std::vector<float> scratch;
  std::vector<float> pull(kDimension, 0.0F);
  learner.learn(1, view(values), {learner.score(1, view(values)), true, 1.0F, kRate, pull.data()},
                scratch);
  double slopes = 0.0;
  for (int i = 0; i < kSteps; ++i) {
    const float score = in_small_steps.score(1, view(values));
    slopes += 2.0 * (1.0 - static_cast<double>(score)) / kSteps;
    in_small_steps.learn(1, view(values), {score, true, 1.0F / kSteps, kRate}, scratch);
  }
  ASSERT_GT(learner.score(1, view(values)), 0.5F);
  for (FeatureId i = 0; i < kDimension; ++i) {
    const double expected = slopes * static_cast<double>(before[i]);
    EXPECT_NEAR(pull[i], expected, 0.01 * std::abs(expected) + 1e-5) << "feature " << i;
  }
}

TEST(RowLearner, PullsAtItsInputsWithinBoundsHoweverHeavyTheExample) {
  for (const float weight : {1.0F, 1e4F, 1e20F}) {
    Table table;
    RowLearner learner = taught(table);
    const std::vector<float> values = random_values(31);
    std::vector<float> scratch;
    std::vector<float> pull(kDimension, 0.0F);
    const float score = learner.score(1, view(values));
    learner.learn(1, view(values), {score, score < 0.0F, weight, 0.5F, pull.data()}, scratch);
    for (const float value : pull) EXPECT_TRUE(std::isfinite(value));
    EXPECT_NE(pull[2], 0.0F);
  }
}

TEST(RowLearner, ASureAnswerPullsAtNothing) {
  Table table;
  RowLearner learner = taught(table);
  const std::vector<float> values = random_values(2);
  std::vector<float> scratch;
  std::vector<float> pull(kDimension, 0.0F);
  learner.learn(1, view(values), {1.5F, true, 1.0F, 0.5F, pull.data()}, scratch);
  learner.learn(1, view(values), {0.3F, true, 0.0F, 0.5F, pull.data()}, scratch);
  for (const float value : pull) EXPECT_EQ(value, 0.0F);
}

TEST(RowLearner, AnExtraWeightLearnsAsAFeatureOfOne) {
  // The bias is a feature of one, too: from the same start both move alike.
  Table table;
  RowLearner learner = table.learner();
  std::vector<float> scratch;
  float weight = 0.0F;
  float square = 0.0F;
  const RowLearner::Extra extra = {&weight, &square};
  for (std::uint64_t example = 0; example < 20; ++example) {
    const std::vector<float> values = random_values(example);
    const float score = learner.score(2, view(values)) + weight;
    learner.learn(2, view(values),
                  {score, example % 3 == 0, 1.0F, 0.2F, nullptr, std::span(&extra, 1)}, scratch);
    ASSERT_NEAR(weight, table.weights[table.layout.offset(2) + kDimension], 1e-5F);
  }
  EXPECT_NE(weight, 0.0F);
}

TEST(RowLearner, TouchesNoOtherRowAndForgetsOneThatIsReset) {
  Table table;
  RowLearner learner = table.learner();
  std::vector<float> scratch;
  const std::vector<float> values = random_values(3);
  learner.learn(1, view(values), {0.0F, true, 1.0F, 0.5F}, scratch);
  EXPECT_NE(learner.score(1, view(values)), 0.0F);
  EXPECT_EQ(learner.score(0, view(values)), 0.0F);
  EXPECT_EQ(learner.score(2, view(values)), 0.0F);
  learner.reset(1);
  for (const float weight : table.weights) EXPECT_EQ(weight, 0.0F);
  for (const float square : table.squares) EXPECT_EQ(square, 0.0F);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
