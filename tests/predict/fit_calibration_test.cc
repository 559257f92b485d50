// A model whose scores are too sure or too shy by a known factor is calibrated, and measured on
// examples that the calibration has not seen.
#include "predict/fit_calibration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "core/base/random.h"
#include "predict/evaluate.h"
#include "search/exact_selector.h"
#include "support/flat_table.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr std::uint32_t kClasses = 12;
constexpr FeatureId kDimension = 4;

// Rows whose labels are drawn from the softmax of the scores divided by a temperature, which
// depends on the group of the best class.
class Drawn {
 public:
  Drawn(const testing::FlatTable& table, std::span<const std::uint64_t> class_counts,
        std::array<double, kFrequencyGroups> temperatures, std::uint32_t examples,
        std::uint64_t seed)
      : rows_(kDimension, examples, false, seed) {
    const CounterRandom random(seed, RandomPurpose::kExamples);
    for (std::uint32_t e = 0; e < examples; ++e) {
      std::vector<double> scores;
      for (ClassId k = 0; k < kClasses; ++k) scores.push_back(table.plain_score(rows_.rows[e], k));
      const auto best_class =
          static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
      const double temperature = temperatures[frequency_group(class_counts[best_class])];
      const double highest = scores[best_class];
      double sum = 0.0;
      for (double& score : scores) {
        score = std::exp((score - highest) / temperature);
        sum += score;
      }
      double rest = random.uniform(e, 0) * sum;
      ClassId label = 0;
      while (label + 1 < kClasses && rest >= scores[label]) rest -= scores[label++];
      labels_.push_back(label);
    }
  }

  DatasetView view() const {
    DatasetView::Dense dense;
    dense.matrix = reinterpret_cast<const std::byte*>(rows_.values.data());
    return {dense, kDimension, labels_, {}};
  }

 private:
  testing::RandomRows rows_;
  std::vector<ClassId> labels_;
};

class FitCalibrationTest : public ::testing::Test {
 protected:
  FitCalibrationTest() {
    // The better half of the classes is frequent.
    for (ClassId k = 0; k < kClasses; ++k) class_counts_.push_back(k < kClasses / 2 ? 1000 : 5);
  }

  BatchPredictor predictor(const Calibration* calibration = nullptr) const {
    auto scorer = std::make_unique<FlatScorer>(table_.scorer());
    auto selector = std::make_unique<ExactSelector>(*scorer);
    CalibrationParts parts;
    if (calibration != nullptr) parts = {calibration, class_counts_};
    return {nullptr, std::move(scorer), std::move(selector), parts};
  }
  CalibrationFit fit(const DatasetView& data, Probability how, int threads = 2) const {
    ThreadPool pool(threads);
    return fit_calibration(predictor(), data, class_counts_,
                           {.beam = 6, .probability = how, .noises = 32}, pool);
  }
  double error_of(const Calibration* calibration, const DatasetView& data, Probability how) const {
    ThreadPool pool(2);
    EvaluateOptions options;
    options.probability = how;
    options.noises = 32;
    return *evaluate(predictor(calibration), data, class_counts_,
                     {.beam = 6, .candidates = 6, .covers_all = false}, options, pool)
                .calibration_error;
  }

  testing::FlatTable table_ = testing::FlatTable(kClasses, 1, kDimension);
  std::vector<std::uint64_t> class_counts_;
};

TEST_F(FitCalibrationTest, FindsTheTemperatureOfEveryGroupAndMendsTheError) {
  const Drawn known(table_, class_counts_, {3.0, 1.0, 0.5}, 6000, 1);
  const Drawn fresh(table_, class_counts_, {3.0, 1.0, 0.5}, 6000, 2);
  for (const Probability how : {Probability::kExact, Probability::kEstimate}) {
    const CalibrationFit result = fit(known.view(), how);
    EXPECT_EQ(validation_error(result.calibration), nullptr);
    EXPECT_NEAR(result.groups[0].temperature, 3.0, 0.4);
    EXPECT_NEAR(result.groups[2].temperature, 0.5, 0.07);
    EXPECT_TRUE(result.groups[0].is_own);
    EXPECT_FALSE(result.groups[1].is_own);  // no class is in the middle
    EXPECT_GT(result.error_before, 0.08);
    EXPECT_LT(result.error_after, 0.02);
    EXPECT_GT(error_of(nullptr, fresh.view(), how), 0.08);
    EXPECT_LT(error_of(&result.calibration, fresh.view(), how), 0.03);
  }
}

TEST_F(FitCalibrationTest, TakesOneTemperatureWhereGroupsAreSmall) {
  const Drawn few(table_, class_counts_, {2.0, 2.0, 2.0}, 150, 1);
  const CalibrationFit result = fit(few.view(), Probability::kExact);
  EXPECT_EQ(result.groups[0].temperature, result.groups[2].temperature);
  EXPECT_FALSE(result.groups[0].is_own);
  EXPECT_NEAR(result.groups[0].temperature, 2.0, 0.7);
}

TEST_F(FitCalibrationTest, KeepsTheOrderOfTheClassesAndOneAsTheirSum) {
  const Drawn known(table_, class_counts_, {5.0, 5.0, 5.0}, 3000, 1);
  Calibration calibration = fit(known.view(), Probability::kExact).calibration;
  // Shares that lie far below what order allows are lifted.
  for (float& share : calibration.shares) share = 0.01F;
  const BatchPredictor calibrated = predictor(&calibration);
  auto workspace = calibrated.make_workspace();
  testing::RandomRows rows(kDimension, 50, false, 9);
  calibrated.search(rows.rows, kClasses, kClasses, workspace);
  calibrated.normalize(Probability::kExact, 1, workspace);
  for (std::size_t e = 0; e < rows.rows.size(); ++e) {
    double sum = 0.0;
    double before = 1.0;
    const auto found = workspace.selection.of(e);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double probability = std::exp(
          static_cast<double>(workspace.normalizations[e].log_probability(found[i].score, i == 0)));
      EXPECT_LE(probability, before * (1.0 + 1e-5));
      before = probability;
      sum += probability;
    }
    EXPECT_NEAR(sum, 1.0, 1e-4);
  }
}

TEST_F(FitCalibrationTest, IsTheSameOnAnyNumberOfThreads) {
  const Drawn known(table_, class_counts_, {3.0, 1.0, 0.5}, 2000, 1);
  const CalibrationFit one = fit(known.view(), Probability::kEstimate, 1);
  const CalibrationFit three = fit(known.view(), Probability::kEstimate, 3);
  EXPECT_EQ(one.calibration.temperatures, three.calibration.temperatures);
  EXPECT_EQ(one.calibration.probabilities, three.calibration.probabilities);
  EXPECT_EQ(one.calibration.shares, three.calibration.shares);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
