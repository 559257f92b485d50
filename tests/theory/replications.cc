#include "theory/replications.h"

#include <cmath>

#include "core/base/random.h"

namespace cane::theory {

using Eigen::Index;

Eigen::MatrixXd simulate_errors(const LinearProblem& problem, const CaneEstimator& estimator,
                                NoiseUse use, const SimulationSizes& sizes) {
  Eigen::MatrixXd errors(static_cast<Index>(sizes.replications), problem.truth.size());
  for (std::uint32_t i = 0; i < sizes.replications; ++i) {
    const CounterRandom random(sizes.seed, RandomPurpose::kExamples, i);
    errors.row(static_cast<Index>(i)) =
        estimator.maximum(estimator.outcomes().draw(sizes.examples, random, use)) - problem.truth;
  }
  return std::sqrt(static_cast<double>(sizes.examples)) * errors;
}

Measured mean_of(const Eigen::VectorXd& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = values.mean();
  const double variance = (values.array() - mean).square().sum() / (count - 1.0);
  return {mean, std::sqrt(variance / count)};
}

Measured total_variance(const Eigen::MatrixXd& errors) {
  const auto count = static_cast<double>(errors.rows());
  Measured total = total_squared_error(errors.rowwise() - errors.colwise().mean());
  total.value *= count / (count - 1.0);
  return total;
}

Measured total_squared_error(const Eigen::MatrixXd& errors) {
  return mean_of(errors.rowwise().squaredNorm());
}

}  // namespace cane::theory
