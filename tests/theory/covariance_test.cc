#include "theory/covariance.h"

#include <gtest/gtest.h>

#include <vector>

#include "theory/cane_estimator.h"
#include "theory/linear_problem.h"
#include "theory/predicted_covariance.h"

namespace cane::theory {
namespace CANE_THIS_FILE {

constexpr SimulationSizes kSmall = {4000, 400, 1};

TEST(Covariance, OneDrawnNoiseSpreadsAsTheTheoremSays) {
  const CovarianceCheck check = check_covariance(1, NoiseUse::kOneDrawn, kSmall);
  EXPECT_EQ(check.simulated.size(), check.size * check.size);
  EXPECT_EQ(check.predicted.size(), check.simulated.size());
  EXPECT_LT(check.largest_deviation, 5.0);
  EXPECT_EQ(check.largest_deviation, check.theorem_deviation);
  EXPECT_LT(check.relative_difference, 0.25);
}

TEST(Covariance, TheMeanOverAllNoisesSpreadsLessThanTheTheoremSays) {
  const CovarianceCheck check = check_covariance(1, NoiseUse::kAllWeighted, kSmall);
  EXPECT_LT(check.largest_deviation, 5.0);
  EXPECT_LT(check.relative_difference, 0.25);
  EXPECT_GT(check.theorem_deviation, 8.0);
}

TEST(Covariance, TheGradientIsZeroAtTheTruthAndTheHessianThatOfTheTheorem) {
  const LinearProblem problem = make_linear_problem(3);
  for (const std::uint32_t candidates : {1U, 3U, 7U}) {
    const auto selections = select_most_probable(problem, candidates);
    const CaneEstimator estimator(problem, selections);
    const auto shares = estimator.outcomes().probabilities();
    const Derivatives at = estimator.derivatives(shares, problem.truth);
    EXPECT_LT(at.gradient.cwiseAbs().maxCoeff(), 1e-6);
    const Eigen::MatrixXd difference = at.hessian - theorem_information(problem, selections);
    EXPECT_LT(difference.cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_LT((estimator.maximum(shares) - problem.truth).cwiseAbs().maxCoeff(), 1e-4);
  }
}

TEST(Covariance, TheHessianAgreesWithDifferencesOfTheGradients) {
  const LinearProblem problem = make_linear_problem(3);
  const auto selections = select_most_probable(problem, 2);
  const CaneEstimator estimator(problem, selections);
  const auto shares = estimator.outcomes().probabilities();
  const Eigen::VectorXd elsewhere = 0.5 * problem.truth;
  const Eigen::MatrixXd hessian = estimator.derivatives(shares, elsewhere).hessian;
  constexpr double kStep = 1e-2;
  for (Eigen::Index i = 0; i < elsewhere.size(); ++i) {
    Eigen::VectorXd up = elsewhere;
    Eigen::VectorXd down = elsewhere;
    up(i) += kStep;
    down(i) -= kStep;
    const Eigen::VectorXd slope = (estimator.derivatives(shares, up).gradient -
                                   estimator.derivatives(shares, down).gradient) /
                                  (2.0 * kStep);
    EXPECT_LT((hessian.col(i) - slope).cwiseAbs().maxCoeff(), 1e-4);
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::theory
