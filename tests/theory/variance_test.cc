#include "theory/variance.h"

#include <gtest/gtest.h>

#include "theory/convergence.h"

namespace cane::theory {
namespace CANE_THIS_FILE {

// Standard errors know nothing of a sample being finite, which adds some percent.
constexpr double kStandardErrors = 4.0;
constexpr double kFiniteSample = 0.04;

void expect_as_predicted(const VarianceFigure& figure) {
  EXPECT_NEAR(figure.simulated, figure.predicted,
              kStandardErrors * figure.simulated_error + kFiniteSample * figure.predicted);
  EXPECT_LT(figure.simulated_error, 0.08 * figure.predicted);
}

TEST(Variance, IsPredictedAndComesDownToThatOfMaximumLikelihood) {
  const auto rows = check_variance({2000, 200, 1});
  for (const VarianceRow& row : rows) {
    expect_as_predicted(row.one_noise);
    expect_as_predicted(row.all_noises);
    expect_as_predicted(row.likelihood);
    EXPECT_LT(row.all_noises.predicted, row.one_noise.predicted + 1e-3);
    EXPECT_GT(row.all_noises.predicted, row.likelihood.predicted - 1e-3);
  }
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_GT(rows[i].covered, rows[i - 1].covered);
    EXPECT_LE(rows[i].one_noise.predicted, rows[i - 1].one_noise.predicted + 1e-3);
    EXPECT_LE(rows[i].one_noise.simulated, rows[i - 1].one_noise.simulated + 1e-3);
  }
  // Far enough apart for the simulation to tell them.
  EXPECT_GT(rows.front().one_noise.simulated, 1.3 * rows.front().all_noises.simulated);
  EXPECT_NEAR(rows.back().covered, 1.0, 1e-12);
  EXPECT_NEAR(rows.back().one_noise.predicted, rows.back().likelihood.predicted, 1e-3);
  EXPECT_NEAR(rows.back().one_noise.simulated, rows.back().likelihood.simulated, 1e-3);
}

TEST(Convergence, TheErrorFallsAsOneOverTheNumberOfExamples) {
  ConvergenceOptions options;
  options.examples = {1000, 4000, 16000};
  options.replications = 60;
  const auto rows = check_convergence(options);
  ASSERT_EQ(rows.size(), 3U);
  for (const ConvergenceRow& row : rows) {
    const double finite_sample = 100.0 / static_cast<double>(row.examples) * row.predicted;
    EXPECT_NEAR(row.squared_error, row.predicted,
                kStandardErrors * row.standard_error + finite_sample);
  }
  EXPECT_LT(rows[1].squared_error, 0.5 * rows[0].squared_error);
  EXPECT_LT(rows[2].squared_error, 0.5 * rows[1].squared_error);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::theory
