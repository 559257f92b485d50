#include "linear/optimizers/block_optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace cane {
namespace CANE_THIS_FILE {

using ::testing::FloatNear;
using ::testing::Pointwise;

constexpr FeatureId kDimension = 3;
constexpr std::uint32_t kStride = 4;
constexpr float kRate = 0.5F;

// One block of four columns over three features, and an example with features 0 and 2.
class BlockOptimizerTest : public ::testing::Test {
 protected:
  std::vector<float> after(OptimizerKind kind, std::span<const UpdateTask> tasks,
                           std::vector<float>* state = nullptr) const {
    std::vector<float> weights(layout_.size(), 1.0F);
    std::vector<float> scratch;
    const auto optimizer = make_optimizer(kind, layout_);
    optimizer->apply(weights.data(), layout_, 0, kRate, tasks, scratch);
    if (state != nullptr) state->assign(optimizer->state().begin(), optimizer->state().end());
    return weights;
  }

  BlockLayout layout_ = BlockLayout::flat(kStride, 8, kDimension);
  std::array<FeatureId, 2> indices_ = {0, 2};
  std::array<float, 2> values_ = {2.0F, -1.0F};
  std::array<float, 8> steps_ = {1.0F, 0.0F, -2.0F, 0.5F, 0.0F, 0.0F, 0.0F, 0.0F};
  RowView row_ = {indices_.data(), values_.data(), 2};
  UpdateTask task_ = {row_, 1.0F, steps_.data()};
};

TEST_F(BlockOptimizerTest, SgdAddsRateTimesStepTimesFeature) {
  const std::vector<float> weights = after(OptimizerKind::kSgd, std::span(&task_, 1));
  std::vector<float> expected(layout_.size(), 1.0F);
  for (std::size_t c = 0; c < 8; ++c) {
    expected[0 * 8 + c] += kRate * steps_[c] * 2.0F;
    expected[2 * 8 + c] += kRate * steps_[c] * -1.0F;
    expected[3 * 8 + c] += kRate * steps_[c];  // the bias
  }
  EXPECT_THAT(weights, Pointwise(FloatNear(1e-6F), expected));
}

// The step of a feature is divided by the root of the sum of its squared gradients so far, over all
// columns of the block; the present one counts.
TEST_F(BlockOptimizerTest, AdagradDividesByTheRootOfTheSquaresSoFar) {
  const std::array<UpdateTask, 2> tasks = {task_, task_};
  std::vector<float> state;
  const std::vector<float> weights = after(OptimizerKind::kAdagrad, tasks, &state);
  const float length = 1.0F + 4.0F + 0.25F;  // of the steps, squared
  std::vector<float> expected(layout_.size(), 1.0F);
  const std::array<float, 4> features = {2.0F, 0.0F, -1.0F, 1.0F};
  for (std::size_t feature = 0; feature < features.size(); ++feature) {
    const float x = features[feature];
    if (x == 0.0F) continue;
    EXPECT_NEAR(state[feature], 2.0F * length * x * x, 1e-4F) << feature;
    for (int times = 1; times <= 2; ++times) {
      const float root = std::sqrt(static_cast<float>(times) * length * x * x);
      for (std::size_t c = 0; c < 8; ++c) {
        expected[feature * 8 + c] += kRate * steps_[c] * x / root;
      }
    }
  }
  EXPECT_EQ(state[1], 0.0F);
  EXPECT_THAT(weights, Pointwise(FloatNear(1e-4F), expected));
}

// A thread that changes some features of a block leaves the bias to another one.
TEST_F(BlockOptimizerTest, LeavesABiasOfZeroAlone) {
  task_.bias = 0.0F;
  for (const OptimizerKind kind : {OptimizerKind::kSgd, OptimizerKind::kAdagrad}) {
    std::vector<float> state;
    const std::vector<float> weights = after(kind, std::span(&task_, 1), &state);
    for (std::size_t c = 0; c < 8; ++c) EXPECT_EQ(weights[kDimension * 8 + c], 1.0F);
    if (!state.empty()) {
      EXPECT_EQ(state[kDimension], 0.0F);
    }
    EXPECT_NE(weights[0], 1.0F);
  }
}

TEST_F(BlockOptimizerTest, TakesTheGradientOfABatchInOneStep) {
  const BlockLayout layout = BlockLayout::flat(3, 1, kDimension);
  const std::vector<float> step = {2.0F, 0.0F, -1.0F, 0.5F};
  ASSERT_EQ(step.size(), kDimension + 1U);
  for (const OptimizerKind kind : {OptimizerKind::kSgd, OptimizerKind::kAdagrad}) {
    const auto optimizer = make_optimizer(kind, layout);
    std::vector<float> weights(layout.size(), 1.0F);
    std::vector<float> expected = weights;
    std::vector<float> scratch;
    for (int times = 1; times <= 2; ++times) {
      optimizer->apply_sum(weights.data(), layout, 1, kRate, step, scratch);
      for (std::size_t i = 0; i < step.size(); ++i) {
        if (step[i] == 0.0F) continue;
        const float root = std::sqrt(static_cast<float>(times)) * std::abs(step[i]);
        expected[layout.offset(1) + i] +=
            kRate * step[i] / (kind == OptimizerKind::kSgd ? 1.0F : root);
      }
    }
    EXPECT_THAT(weights, Pointwise(FloatNear(1e-5F), expected));
  }
}

TEST_F(BlockOptimizerTest, AGradientBeyondAllNumbersDoesNotPassInSilence) {
  const BlockLayout layout = BlockLayout::flat(1, 1, kDimension);
  std::vector<float> weights(layout.size(), 0.0F);
  std::vector<float> scratch;
  const std::vector<float> step(kDimension + 1, 1e25F);
  make_optimizer(OptimizerKind::kAdagrad, layout)
      ->apply_sum(weights.data(), layout, 0, kRate, step, scratch);
  EXPECT_TRUE(std::isnan(weights[kDimension]));
}

TEST_F(BlockOptimizerTest, HasAsMuchStateAsItSays) {
  for (const OptimizerKind kind : {OptimizerKind::kSgd, OptimizerKind::kAdagrad}) {
    EXPECT_EQ(make_optimizer(kind, layout_)->state().size_bytes(), optimizer_bytes(kind, layout_));
  }
}

TEST_F(BlockOptimizerTest, TakesRowsOneByOneLikeBlocksOfOneClass) {
  const BlockLayout layout = BlockLayout::flat(3, 1, kDimension);
  GradientParts parts(layout);
  *parts.add_part(0, 2) = 0.5F;
  *parts.add_part(0, 0) = -1.0F;
  *parts.add_part(0, 2) = 2.0F;
  for (const OptimizerKind kind : {OptimizerKind::kSgd, OptimizerKind::kAdagrad}) {
    std::vector<float> together(layout.size(), 1.0F);
    std::vector<float> single = together;
    std::vector<float> scratch;
    make_optimizer(kind, layout)
        ->apply_rows(together.data(), layout, kRate, parts, std::span(&row_, 1), scratch);
    const auto optimizer = make_optimizer(kind, layout);
    for (std::size_t i = 0; i < parts.parts().size(); ++i) {
      const UpdateTask task = {row_, 1.0F, parts.steps(i)};
      optimizer->apply(single.data(), layout, parts.parts()[i].node, kRate, std::span(&task, 1),
                       scratch);
    }
    EXPECT_EQ(together, single);
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
