#include "train/start/automatic_rate.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/small_data.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr std::uint32_t kClasses = 20;

float rate_of(Method method, ScorerKind scorer = ScorerKind::kFlat,
              std::uint32_t classes = kClasses) {
  testing::SmallDataOptions options;
  const testing::SmallData data(options);
  TrainConfig config;
  config.method = method;
  config.scorer = scorer;
  config.optimizer = OptimizerKind::kSgd;
  config.whiten = WhitenKind::kOff;
  return automatic_rate(data.view(), config, classes);
}

// Two rows of four values: |x|^2 is 16 and 4, the sum of |x_i| 8 and 4.
float rate_of_scaled_rows(float scale, OptimizerKind optimizer, bool sparse = false) {
  std::vector<float> values = {2, -2, 2, 2, 1, 1, -1, -1};
  for (float& value : values) value *= scale;
  const std::vector<FeatureId> indices = {0, 3, 5, 6, 1, 2, 3, 4};
  const std::vector<std::uint64_t> offsets = {0, 4, 8};
  const std::vector<ClassId> labels = {0, 1};
  DatasetView::Dense dense;
  dense.matrix = reinterpret_cast<const std::byte*>(values.data());
  const DatasetView view =
      sparse ? DatasetView({offsets, indices.data(), values.data()}, 7, labels, {})
             : DatasetView(dense, 4, labels, {});
  TrainConfig config;
  config.method = Method::kCane;
  config.scorer = ScorerKind::kFlat;
  config.optimizer = optimizer;
  return automatic_rate(view, config, 2);
}

TEST(AutomaticRate, IsAConstantOverTheMeanSquaredLengthWithTheBias) {
  const float at_one = rate_of_scaled_rows(1.0F, OptimizerKind::kSgd);
  for (const float scale : {0.0F, 0.1F, 3.0F, 100.0F}) {
    EXPECT_FLOAT_EQ(rate_of_scaled_rows(scale, OptimizerKind::kSgd),
                    at_one * 11.0F / (10.0F * scale * scale + 1.0F));
    EXPECT_EQ(rate_of_scaled_rows(scale, OptimizerKind::kSgd, true),
              rate_of_scaled_rows(scale, OptimizerKind::kSgd));
  }
}

TEST(AutomaticRate, OfAdagradGoesByAbsoluteValues) {
  const float at_one = rate_of_scaled_rows(1.0F, OptimizerKind::kAdagrad);
  for (const float scale : {0.0F, 0.1F, 3.0F, 100.0F}) {
    EXPECT_FLOAT_EQ(rate_of_scaled_rows(scale, OptimizerKind::kAdagrad),
                    at_one * 7.0F / (6.0F * scale + 1.0F));
  }
}

// Whitened rows are as long however the features are scaled and mixed.
TEST(AutomaticRate, OfWhitenedStepsDoesNotDependOnTheScaleOfTheFeatures) {
  TrainConfig config;
  config.method = Method::kSoftmax;
  config.optimizer = OptimizerKind::kSgd;
  const testing::SmallData data({});
  const float rate = automatic_rate(data.view(), config, kClasses);
  for (const float scale : {0.01F, 100.0F}) {
    testing::SmallData scaled({});
    scaled.change_rows([&](std::span<float> row) {
      for (std::size_t i = 0; i < row.size(); i += 2) row[i] = scale * (row[i] + 3.0F);
    });
    EXPECT_NEAR(automatic_rate(scaled.view(), config, kClasses), rate, 0.01F * rate);
  }
}

TEST(AutomaticRate, IsHigherForFlatRowsThanForPaths) {
  EXPECT_GT(rate_of(Method::kCane), rate_of(Method::kCane, ScorerKind::kPath));
  EXPECT_LT(rate_of(Method::kHsm, ScorerKind::kPath), rate_of(Method::kCane, ScorerKind::kPath));
  for (const Method method :
       {Method::kSoftmax, Method::kNce, Method::kNeg, Method::kBlackout, Method::kCss}) {
    EXPECT_EQ(rate_of(method), rate_of(Method::kCane));
    EXPECT_EQ(rate_of(method, ScorerKind::kFlat, 100'000), rate_of(method));
  }
}

TEST(AutomaticRate, OfOneVsEachFallsWithTheClasses) {
  const auto ove = [](std::uint32_t classes) {
    return rate_of(Method::kOve, ScorerKind::kFlat, classes);
  };
  EXPECT_EQ(ove(2), rate_of(Method::kCane)) << "one rival counts once";
  EXPECT_EQ(ove(1), rate_of(Method::kCane));
  EXPECT_LT(ove(101), rate_of(Method::kCane));
  EXPECT_FLOAT_EQ(ove(1001), ove(101) / 10.0F);
}

TEST(AutomaticRate, OfManyExamplesIsThatOfASample) {
  testing::SmallDataOptions options;
  options.dimension = 2;
  options.examples = 25'000;
  const testing::SmallData data(options);
  const DatasetView view = data.view();
  double squares = 0.0;
  for (std::size_t e = 0; e < view.size(); ++e) {
    const RowView row = view.row(e, {});
    for (std::uint32_t p = 0; p < row.count; ++p)
      squares += static_cast<double>(row.values[p] * row.values[p]);
  }
  TrainConfig config;
  config.method = Method::kCane;
  config.scorer = ScorerKind::kFlat;
  config.optimizer = OptimizerKind::kSgd;
  const float constant = 11.0F * rate_of_scaled_rows(1.0F, OptimizerKind::kSgd);
  const double mean = squares / static_cast<double>(view.size());
  EXPECT_NEAR(static_cast<double>(automatic_rate(view, config, kClasses)) * (mean + 1.0), constant,
              0.02 * static_cast<double>(constant));
}

TEST(AutomaticRate, FallsWhereDenseRowsStartNearTheEndAndStaysForSparseOnes) {
  TrainConfig config;
  config.method = Method::kCane;
  config.scorer = ScorerKind::kFlat;
  config.optimizer = OptimizerKind::kSgd;
  EXPECT_LT(rate_factor(config, 1.0, 0.05), 1.0F);
  EXPECT_EQ(rate_factor(config, 1.0, 0.5), 1.0F);
  EXPECT_EQ(rate_factor(config, 0.001, 0.05), 1.0F);
  config.scorer = ScorerKind::kPath;
  EXPECT_EQ(rate_factor(config, 1.0, 0.05), 1.0F);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
