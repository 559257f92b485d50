#include "theory/covariance.h"

#include "theory/cane_estimator.h"
#include "theory/linear_problem.h"
#include "theory/predicted_covariance.h"
#include "theory/replications.h"

namespace cane::theory {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

double deviation_in_errors(const MatrixXd& simulated, const MatrixXd& standard_error,
                           const MatrixXd& formula) {
  return (simulated - formula).cwiseAbs().cwiseQuotient(standard_error).maxCoeff();
}

std::vector<double> entries(const MatrixXd& symmetric) {
  return {symmetric.data(), symmetric.data() + symmetric.size()};
}

}  // namespace

CovarianceCheck check_covariance(std::uint32_t candidates, NoiseUse use,
                                 const SimulationSizes& sizes) {
  const LinearProblem problem = make_linear_problem(sizes.seed);
  const auto selections = select_most_probable(problem, candidates);
  const CaneEstimator estimator(problem, selections);
  const MatrixXd errors = simulate_errors(problem, estimator, use, sizes);
  const MatrixXd centred = errors.rowwise() - errors.colwise().mean();
  const Index size = problem.truth.size();
  MatrixXd simulated(size, size);
  MatrixXd standard_error(size, size);
  for (Index a = 0; a < size; ++a) {
    for (Index b = 0; b < size; ++b) {
      const Measured entry = mean_of(centred.col(a).cwiseProduct(centred.col(b)));
      simulated(a, b) = entry.value;
      standard_error(a, b) = entry.standard_error;
    }
  }
  const MatrixXd predicted = predicted_covariance(problem, selections, use);
  const MatrixXd theorem = predicted_covariance(problem, selections, NoiseUse::kOneDrawn);
  CovarianceCheck check;
  check.size = static_cast<std::uint32_t>(size);
  check.simulated = entries(simulated);
  check.standard_error = entries(standard_error);
  check.predicted = entries(predicted);
  check.largest_deviation = deviation_in_errors(simulated, standard_error, predicted);
  check.relative_difference = (simulated - predicted).norm() / predicted.norm();
  check.theorem_deviation = deviation_in_errors(simulated, standard_error, theorem);
  return check;
}

}  // namespace cane::theory
