#include "predict/normalizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/noise/uniform_noise.h"
#include "support/flat_table.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr std::uint32_t kClasses = 40;
constexpr FeatureId kDimension = 6;

// Finds nothing: candidates are given by the tests.
class NoSearch final : public Selector::Worker {
 public:
  using Worker::Worker;
  void select(std::span<const RowView> /*rows*/, const SelectionDraws& /*draws*/,
              std::uint32_t /*width*/, std::uint32_t /*keep*/, Selection& selection) override {
    selection.clear();
  }
};

class NormalizerTest : public ::testing::Test {
 protected:
  double plain(const RowView& row) const {
    double sum = 0.0;
    for (ClassId label = 0; label < kClasses; ++label) {
      sum += std::exp(table_.plain_score(row, label));
    }
    return std::log(sum);
  }
  // The best `count` classes of each row.
  Selection best(std::span<const RowView> rows, std::uint32_t count) const {
    Selection selection;
    selection.clear();
    ClassLists all;
    std::vector<float> scores;
    for (const RowView& row : rows) {
      for (ClassId label = 0; label < kClasses; ++label) {
        all.classes.push_back(label);
        scores.push_back(static_cast<float>(table_.plain_score(row, label)));
      }
      all.end_list();
    }
    rerank(all, scores, count, selection);
    return selection;
  }
  std::vector<float> estimates(std::span<const RowView> rows, std::uint32_t candidates,
                               std::uint32_t noises) {
    NoSearch worker(scorer_);
    const Selection selection = best(rows, candidates);
    draw_noises(worker, worker.noise(), noises, rows, selection, scratch_);
    std::vector<float> logs(rows.size());
    errors_.resize(rows.size());
    for (std::uint32_t e = 0; e < rows.size(); ++e) {
      const LogNormalizer estimate = estimated_log_normalizer(e, selection, scratch_);
      logs[e] = estimate.value;
      errors_[e] = estimate.error;
    }
    return logs;
  }

  testing::FlatTable table_ = testing::FlatTable(kClasses, 1, kDimension);
  FlatScorer scorer_ = table_.scorer();
  testing::RandomRows data_ = testing::RandomRows(kDimension, 300, false);
  NormalizerScratch scratch_;
  std::vector<float> errors_;  // of the last estimates
};

TEST_F(NormalizerTest, IsTheLogarithmOfTheSumOverAllClasses) {
  ScoringScratch scoring;
  NormalizerScratch scratch;
  std::vector<LogNormalizer> logs(data_.rows.size());
  exact_log_normalizers(scorer_, data_.rows, scoring, scratch, logs);
  for (std::size_t e = 0; e < logs.size(); ++e) {
    EXPECT_NEAR(static_cast<double>(logs[e].value), plain(data_.rows[e]), 1e-4);
    EXPECT_EQ(logs[e].error, 0.0F);
  }
}

TEST_F(NormalizerTest, IsExactWhereAllClassesAreCandidates) {
  const std::vector<float> logs = estimates(data_.rows, kClasses, 5);
  for (std::size_t e = 0; e < logs.size(); ++e) {
    EXPECT_NEAR(static_cast<double>(logs[e]), plain(data_.rows[e]), 1e-4);
  }
}

TEST_F(NormalizerTest, IsEstimatedWithoutBias) {
  const std::vector<float> logs = estimates(data_.rows, 10, 8);
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t e = 0; e < logs.size(); ++e) {
    const double ratio = std::exp(static_cast<double>(logs[e]) - plain(data_.rows[e]));
    sum += ratio;
    squares += ratio * ratio;
  }
  const auto count = static_cast<double>(logs.size());
  const double mean = sum / count;
  const double error = std::sqrt((squares / count - mean * mean) / count);
  EXPECT_GT(error, 0.0);
  EXPECT_NEAR(mean, 1.0, 4.0 * error);
}

TEST_F(NormalizerTest, SaysItsOwnError) {
  // With many draws the errors that it says are those that it makes.
  const std::vector<float> logs = estimates(data_.rows, 5, 512);
  double squares = 0.0;
  for (std::size_t e = 0; e < logs.size(); ++e) {
    const double gap = static_cast<double>(logs[e]) - plain(data_.rows[e]);
    squares += gap * gap / (static_cast<double>(errors_[e]) * static_cast<double>(errors_[e]));
  }
  EXPECT_NEAR(squares / static_cast<double>(logs.size()), 1.0, 0.35);
  estimates(data_.rows, kClasses, 5);
  EXPECT_EQ(errors_.front(), 0.0F);
}

TEST_F(NormalizerTest, SumsTheOthersAtAnyTemperature) {
  const Selection selection = best(data_.rows, kClasses);
  estimates(data_.rows, kClasses, 5);
  for (const float scale : {0.5F, 1.0F, 2.0F}) {
    for (std::uint32_t e = 0; e < 20; ++e) {
      double sum = 0.0;
      for (const Candidate& candidate : selection.of(e).subspan(1)) {
        sum += std::exp(static_cast<double>(scale * candidate.score));
      }
      EXPECT_NEAR(static_cast<double>(estimated_others(e, selection, scratch_).log_sum(scale)),
                  std::log(sum), 1e-4);
    }
  }
}

TEST_F(NormalizerTest, IsTheSameForAnExampleInAnyPlaceAndForm) {
  const std::vector<float> together = estimates(data_.rows, 5, 8);
  const std::vector<float> alone = estimates(std::span(data_.rows).subspan(17, 1), 5, 8);
  EXPECT_EQ(alone.front(), together[17]);
  // Features 1 and 4 of the dense example are zero, and absent from the sparse one.
  const std::vector<float> dense = {0.5F, 0.0F, -1.0F, 2.0F, 0.0F, 0.25F};
  const std::vector<FeatureId> indices = {0, 2, 3, 5};
  const std::vector<float> values = {0.5F, -1.0F, 2.0F, 0.25F};
  const std::vector<RowView> rows = {{nullptr, dense.data(), kDimension},
                                     {indices.data(), values.data(), 4}};
  const std::vector<float> logs = estimates(rows, 5, 8);
  EXPECT_NEAR(logs[0], logs[1], 1e-5F);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
