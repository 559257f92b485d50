#include "train/start/best_scale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linear/scorers/flat_scorer.h"
#include "linear/weights/parameter_table.h"
#include "support/small_data.h"
#include "train/start/nearest_centres.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr std::uint32_t kClasses = 20;
constexpr FeatureId kDimension = 12;

// Nearest-centre scores of a small dataset, its classes further apart or closer together.
struct Scores {
  explicit Scores(float noise) : layout(BlockLayout::flat(kClasses, kRowWidth, kDimension)) {
    testing::SmallDataOptions options;
    options.classes = kClasses;
    options.dimension = kDimension;
    options.noise = noise;
    const testing::SmallData data(options);
    const DatasetView view = data.view();
    values.resize(view.size() * kDimension);
    std::vector<float> centres(kClasses * kDimension, 0.0F);
    std::vector<float> counts(kClasses, 0.0F);
    for (std::size_t e = 0; e < view.size(); ++e) {
      const auto own = std::span(values).subspan(e * kDimension, kDimension);
      const RowView row = view.row(e, own);
      std::copy_n(row.values, kDimension, own.data());
      rows.push_back({nullptr, own.data(), kDimension});
      labels.push_back(view.label(e));
      counts[labels.back()] += 1.0F;
      for (std::size_t i = 0; i < kDimension; ++i) {
        centres[labels.back() * kDimension + i] += own[i];
      }
    }
    std::vector<RowView> centre_rows;
    for (ClassId k = 0; k < kClasses; ++k) {
      for (std::size_t i = 0; i < kDimension; ++i) centres[k * kDimension + i] /= counts[k];
      centre_rows.push_back({nullptr, centres.data() + k * kDimension, kDimension});
    }
    weights.assign(layout.size(), 0.0F);
    set_flat_means(centre_rows, layout, weights.data());
  }

  float scale(Normalizer normalizer = Normalizer::kOfExample) const {
    const std::vector<float> unchanged(rows.size(), 0.0F);
    const std::vector<double> even(kClasses, 1.0);
    return best_scale(FlatScorer(kClasses, layout, weights.data()), {rows, labels, unchanged}, even,
                      normalizer)
        .scale;
  }

  double loss(double scale) const {
    double total = 0.0;
    for (std::size_t e = 0; e < rows.size(); ++e) {
      double sum = 0.0;
      double own = 0.0;
      for (ClassId k = 0; k < kClasses; ++k) {
        const float* row = weights.data() + layout.offset(k);
        auto score = static_cast<double>(row[kDimension]);
        for (std::size_t i = 0; i < kDimension; ++i) {
          score += static_cast<double>(rows[e].values[i]) * static_cast<double>(row[i]);
        }
        sum += std::exp(scale * score);
        if (k == labels[e]) own = scale * score;
      }
      total += std::log(sum) - own;
    }
    return total / static_cast<double>(rows.size());
  }

  BlockLayout layout;
  std::vector<float> values;
  std::vector<RowView> rows;
  std::vector<ClassId> labels;
  std::vector<float> weights;
};

TEST(BestScale, IsAboutAsGoodAsTheBest) {
  for (const float noise : {0.5F, 2.0F, 8.0F}) {
    const Scores scores(noise);
    double least = std::log(kClasses);
    for (int eighths = -80; eighths <= 48; ++eighths) {
      least = std::min(least, scores.loss(std::exp2(0.125 * eighths)));
    }
    const auto scale = static_cast<double>(scores.scale());
    EXPECT_LE(scores.loss(scale), least + 0.03 * (std::log(kClasses) - least)) << "noise " << noise;
  }
}

TEST(BestScale, GoesDownAsTheScoresGoUp) {
  Scores scores(1.0F);
  const float scale = scores.scale();
  for (float& weight : scores.weights) weight *= 8.0F;
  EXPECT_NEAR(scores.scale(), scale / 8.0F, 1e-4F * scale);
  for (float& weight : scores.weights) weight /= 1024.0F;
  EXPECT_NEAR(scores.scale(), scale * 128.0F, 0.1F * scale);
}

TEST(BestScale, IsSmallWhereScoresSayNothingOfTheLabels) {
  Scores scores(1.0F);
  const float informed = scores.scale();
  const CounterRandom random(9, RandomPurpose::kSynthetic);
  for (std::size_t e = 0; e < scores.labels.size(); ++e) {
    scores.labels[e] = static_cast<ClassId>(random.below(kClasses, e, 0));
  }
  EXPECT_LE(scores.scale(), informed / 32.0F);
}

// Rows of different lengths: with the scale of the softmax the sums of the long ones are far above
// those of the short ones, and no common normaliser fits them.
TEST(BestScale, IsSmallerWhereOneNormalizerMustFitAllExamples) {
  Scores scores(1.0F);
  const float usual = scores.scale();
  EXPECT_LT(scores.scale(Normalizer::kCommon), usual);
  EXPECT_GT(scores.scale(Normalizer::kCommon), usual / 64.0F);
}

TEST(BestScale, TakesFrequenciesWhereTheyTellTheLabel) {
  Scores scores(1.0F);
  const std::vector<float> unchanged(scores.rows.size(), 0.0F);
  std::vector<double> counts(kClasses, 1.0);
  const auto with_frequencies = [&] {
    return best_scale(FlatScorer(kClasses, scores.layout, scores.weights.data()),
                      {scores.rows, scores.labels, unchanged}, counts, Normalizer::kOfExample)
        .with_frequencies;
  };
  EXPECT_FALSE(with_frequencies());
  counts[3] = 1000.0;
  EXPECT_FALSE(with_frequencies()) << "the examples are not of that class";
  std::fill(scores.labels.begin(), scores.labels.end(), 3);
  EXPECT_TRUE(with_frequencies());
}

TEST(BestScale, IsANumberWhereNoLossIs) {
  for (const float huge :
       {1e38F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    Scores scores(1.0F);
    for (float& weight : scores.weights) weight *= huge;
    const std::vector<float> unchanged(scores.rows.size(), 0.0F);
    const std::vector<double> even(kClasses, 1.0);
    const BestScale best =
        best_scale(FlatScorer(kClasses, scores.layout, scores.weights.data()),
                   {scores.rows, scores.labels, unchanged}, even, Normalizer::kOfExample);
    EXPECT_TRUE(std::isfinite(best.scale));
    EXPECT_TRUE(std::isfinite(best.loss_share));
  }
}

TEST(BestScale, TakesEnoughExamplesAtABoundedCost) {
  EXPECT_EQ(best_scale_sample(2), 2000U);
  EXPECT_EQ(best_scale_sample(10'000), 400U);
  EXPECT_EQ(best_scale_sample(10'000'000), 50U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
