// Labels: threads
#include "train/executors/updater.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/flat_table.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::FlatTable;
using testing::RandomRows;

constexpr std::uint32_t kClasses = 40;
constexpr std::uint32_t kWidth = 8;
constexpr FeatureId kDimension = 6;
constexpr std::uint32_t kExamples = 12;
constexpr float kRate = 0.1F;

class UpdaterTest : public ::testing::TestWithParam<OptimizerKind> {
 protected:
  UpdaterTest() : tables_(1) {
    tables_[0].layout = table_.layout;
    config_.optimizer = GetParam();
  }
  TrainState state() const {
    TrainState state = make_train_state(tables_, config_);
    std::copy(table_.weights.begin(), table_.weights.end(), state.weights[0].data());
    return state;
  }
  /// Steps of every example in three blocks; `first` and `count` choose the examples.
  GradientParts gradient(std::uint32_t first, std::uint32_t count) const {
    GradientParts parts(table_.layout);
    for (std::uint32_t e = 0; e < count; ++e) {
      for (std::uint32_t i = 0; i < 3; ++i) {
        float* steps = parts.add_part(e, (first + e + 2 * i) % (kClasses / kWidth));
        for (std::uint32_t c = 0; c < kWidth; ++c) {
          steps[c] = 0.25F * static_cast<float>((first + e + c * i) % 5) - 0.5F;
        }
      }
    }
    return parts;
  }
  std::span<const RowView> rows(std::uint32_t first, std::uint32_t count) const {
    return std::span(examples_.rows).subspan(first, count);
  }
  static std::vector<float> weights_of(const TrainState& state) {
    return {state.weights[0].data(), state.weights[0].data() + state.weights[0].size()};
  }

  FlatTable table_{kClasses, kWidth, kDimension};
  RandomRows examples_{kDimension, kExamples, false, 2};
  std::vector<ParameterTable> tables_;
  TrainConfig config_;
};

INSTANTIATE_TEST_SUITE_P(Optimizers, UpdaterTest,
                         ::testing::Values(OptimizerKind::kSgd, OptimizerKind::kAdagrad));

TEST_P(UpdaterTest, GivesTheSameBitsForAnySlicesAndThreads) {
  for (const float l2 : {0.0F, 0.01F}) {
    TrainState hogwild = state();
    Updater alone(tables_, l2, hogwild);
    GradientParts whole = gradient(0, kExamples);
    const TableGradient all = {kClassTable, &whole, rows(0, kExamples)};
    Updater::Scratch scratch;
    alone.apply(std::span(&all, 1), kRate, scratch);
    for (const std::uint32_t slice : {1U, 5U, kExamples}) {
      for (const int threads : {1, 3}) {
        TrainState synchronous = state();
        Updater together(tables_, l2, synchronous);
        std::vector<GradientParts> parts;
        std::vector<TableGradient> gradients;
        std::vector<std::span<const TableGradient>> slices;
        for (std::uint32_t first = 0; first < kExamples; first += slice) {
          parts.push_back(gradient(first, std::min(slice, kExamples - first)));
        }
        for (std::uint32_t i = 0; i < parts.size(); ++i) {
          const std::uint32_t first = i * slice;
          gradients.push_back(
              {kClassTable, &parts[i], rows(first, std::min(slice, kExamples - first))});
        }
        for (const TableGradient& gradient : gradients) slices.emplace_back(&gradient, 1);
        ThreadPool pool(threads);
        together.apply(slices, kRate, pool);
        EXPECT_EQ(weights_of(synchronous), weights_of(hogwild)) << slice << ' ' << threads;
      }
    }
  }
}

TEST(SharedUpdaterThreads, LosesNoStepOfABlock) {
  constexpr int kThreads = 4;
  constexpr int kTimes = 1000;
  std::vector<ParameterTable> tables(1);
  tables[0].layout = BlockLayout::flat(kWidth, kWidth, kDimension);
  TrainConfig config;
  config.optimizer = OptimizerKind::kSgd;
  TrainState state = make_train_state(tables, config);
  Updater updater(tables, 0.0F, state);
  updater.share();
  const std::vector<float> ones(kDimension, 1.0F);
  const RowView row = {nullptr, ones.data(), kDimension};
  ThreadPool pool(kThreads);
  pool.run(kThreads, [&](std::size_t, int) {
    GradientParts parts(tables[0].layout);
    std::ranges::fill(std::span(parts.add_part(0, 0), kWidth), 1.0F);
    const TableGradient gradient = {kClassTable, &parts, std::span(&row, 1), true};
    Updater::Scratch scratch;
    for (int i = 0; i < kTimes; ++i) updater.apply(std::span(&gradient, 1), 0.5F, scratch);
  });
  for (const float weight : state.weights[0].span()) {
    EXPECT_EQ(weight, 0.5F * static_cast<float>(kThreads * kTimes));
  }
}

TEST(SharedUpdaterThreads, ThinsSmallStepsOfProbabilitiesOnly) {
  std::vector<ParameterTable> tables(1);
  tables[0].layout = BlockLayout::flat(kWidth, kWidth, kDimension);
  const std::vector<float> ones(kDimension, 1.0F);
  const RowView row = {nullptr, ones.data(), kDimension};
  const auto parts_left = [&](OptimizerKind optimizer, float l2, bool shared, bool probability) {
    TrainConfig config;
    config.optimizer = optimizer;
    TrainState state = make_train_state(tables, config);
    Updater updater(tables, l2, state);
    if (shared) updater.share();
    GradientParts parts(tables[0].layout);
    for (std::uint32_t i = 0; i < 100; ++i) *parts.add_part(0, 0) = 0.001F;
    const TableGradient gradient = {kClassTable, &parts, std::span(&row, 1), probability};
    Updater::Scratch scratch;
    updater.apply(std::span(&gradient, 1), 0.5F, scratch);
    return parts.parts().size();
  };
  EXPECT_LT(parts_left(OptimizerKind::kSgd, 0.0F, true, true), 20U);
  EXPECT_EQ(parts_left(OptimizerKind::kSgd, 0.0F, false, true), 100U);
  EXPECT_EQ(parts_left(OptimizerKind::kSgd, 0.0F, true, false), 100U);
  EXPECT_EQ(parts_left(OptimizerKind::kSgd, 0.01F, true, true), 100U);
  EXPECT_EQ(parts_left(OptimizerKind::kAdagrad, 0.0F, true, true), 100U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
