#include "train/start/leave_one_out.h"

#include <gtest/gtest.h>

#include <vector>

namespace cane {
namespace CANE_THIS_FILE {

// x . mu - |mu|^2 / 2
double centre_score(const std::vector<double>& x, const std::vector<double>& mean) {
  double score = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) score += x[i] * mean[i] - 0.5 * mean[i] * mean[i];
  return score;
}

TEST(LeaveOneOut, IsTheScoreAgainstTheMeanOfTheOthers) {
  const std::vector<double> x = {1.0, 0.0, -2.0, 0.5};
  const std::vector<double> others = {0.5, 0.25, -1.0, 0.0};  // their mean
  for (const double weight : {0.5, 1.0, 3.0}) {
    constexpr double kOthers = 2.0;
    std::vector<double> mean;
    std::vector<float> mean_values;
    for (std::size_t i = 0; i < x.size(); ++i) {
      mean.push_back((weight * x[i] + kOthers * others[i]) / (weight + kOthers));
      mean_values.push_back(static_cast<float>(mean.back()));
    }
    const std::vector<FeatureId> indices = {0, 2, 3};
    const std::vector<float> values = {1.0F, -2.0F, 0.5F};
    const std::vector<float> all_values = {1.0F, 0.0F, -2.0F, 0.5F};
    const double wanted = centre_score(x, others) - centre_score(x, mean);
    const RowView centre = {nullptr, mean_values.data(), 4};
    for (const RowView& row :
         {RowView{indices.data(), values.data(), 3}, RowView{nullptr, all_values.data(), 4}}) {
      const auto change = leave_one_out_change(row, centre, weight, weight + kOthers);
      ASSERT_TRUE(change.has_value());
      EXPECT_NEAR(*change, wanted, 1e-5) << weight;
    }
  }
}

TEST(LeaveOneOut, IsNothingForTheOnlyExampleOfAClass) {
  const std::vector<float> values = {1.0F, 2.0F};
  const RowView row = {nullptr, values.data(), 2};
  EXPECT_FALSE(leave_one_out_change(row, row, 1.0, 1.0).has_value());
  EXPECT_TRUE(leave_one_out_change(row, row, 0.0, 1.0).has_value());
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
