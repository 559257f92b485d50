// The spread of an estimator, simulated: many data sets are drawn from the truth, each gives an
// estimate, and sqrt(n) (estimate - truth) is a row of the sample. Figures from the sample come
// with their standard errors, which follow from the number of data sets alone; that n is finite,
// where the theorems are limits, adds a relative error of some tens / n.
#pragma once

#include "theory/cane_estimator.h"
#include "theory/linear_problem.h"
#include "theory/simulation_options.h"

namespace cane::theory {

/// (replications, parameters): sqrt(n) (estimate - truth).
Eigen::MatrixXd simulate_errors(const LinearProblem& problem, const CaneEstimator& estimator,
                                NoiseUse use, const SimulationSizes& sizes);

/// A simulated figure.
struct Measured {
  double value = 0.0;
  double standard_error = 0.0;
};

/// The mean of the values, one of each data set.
Measured mean_of(const Eigen::VectorXd& values);

/// The sum over the parameters of their variances, times n: the trace of the covariance.
Measured total_variance(const Eigen::MatrixXd& errors);

/// The same around the truth instead of the mean of the estimates.
Measured total_squared_error(const Eigen::MatrixXd& errors);

}  // namespace cane::theory
