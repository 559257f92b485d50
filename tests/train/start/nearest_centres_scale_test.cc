#include "train/start/nearest_centres.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "linear/scorers/flat_scorer.h"
#include "linear/weights/parameter_table.h"
#include "support/small_data.h"

namespace cane {
namespace {

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

  float scale() const {
    return best_scale(FlatScorer(kClasses, layout, weights.data()), rows, labels).scale;
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

TEST(BestScale, IsAboutAsGoodAsTheBestPowerOfTwo) {
  for (const float noise : {0.5F, 2.0F, 8.0F}) {
    const Scores scores(noise);
    double least = std::log(kClasses);
    for (int exponent = -10; exponent <= 6; ++exponent) {
      least = std::min(least, scores.loss(std::ldexp(1.0, exponent)));
    }
    const auto scale = static_cast<double>(scores.scale());
    EXPECT_EQ(std::log2(scale), std::round(std::log2(scale)));
    EXPECT_LE(scores.loss(scale), least + 0.06 * (std::log(kClasses) - least)) << "noise " << noise;
  }
}

TEST(BestScale, GoesDownAsTheScoresGoUp) {
  Scores scores(1.0F);
  const float scale = scores.scale();
  for (float& weight : scores.weights) weight *= 8.0F;
  EXPECT_EQ(scores.scale(), scale / 8.0F);
  for (float& weight : scores.weights) weight /= 1024.0F;
  EXPECT_EQ(scores.scale(), scale * 128.0F);
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

TEST(BestScale, TakesEnoughExamplesAtABoundedCost) {
  EXPECT_EQ(best_scale_sample(2), 2000U);
  EXPECT_EQ(best_scale_sample(10'000), 400U);
  EXPECT_EQ(best_scale_sample(10'000'000), 50U);
}

}  // namespace
}  // namespace cane
