#include "predict/normalizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/noise/uniform_noise.h"
#include "support/flat_table.h"

namespace cane {
namespace {

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
                               std::uint32_t noises) const {
    NoSearch worker(scorer_);
    NormalizerScratch scratch;
    std::vector<float> logs(rows.size());
    estimated_log_normalizers(worker, UniformNoise(kClasses), noises, rows, best(rows, candidates),
                              scratch, logs);
    return logs;
  }

  testing::FlatTable table_ = testing::FlatTable(kClasses, 1, kDimension);
  FlatScorer scorer_ = table_.scorer();
  testing::RandomRows data_ = testing::RandomRows(kDimension, 300, false);
};

TEST_F(NormalizerTest, IsTheLogarithmOfTheSumOverAllClasses) {
  ScoringScratch scoring;
  NormalizerScratch scratch;
  std::vector<float> logs(data_.rows.size());
  exact_log_normalizers(scorer_, data_.rows, scoring, scratch, logs);
  for (std::size_t e = 0; e < logs.size(); ++e) {
    EXPECT_NEAR(static_cast<double>(logs[e]), plain(data_.rows[e]), 1e-4);
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

}  // namespace
}  // namespace cane
