// Theorem 3 (asymptotic normality), entry by entry: the covariance matrix of the estimates over
// many data sets, times n, beside the matrix that is predicted.
#pragma once

#include <cstdint>
#include <vector>

#include "theory/simulation_options.h"

namespace cane::theory {

struct CovarianceCheck {
  std::uint32_t size = 0;              // parameters
  std::vector<double> simulated;       // (size, size), row-major
  std::vector<double> standard_error;  // of the simulated entries
  std::vector<double> predicted;       // (size, size)
  double largest_deviation = 0.0;      // of an entry, in standard errors
  double relative_difference = 0.0;    // in the Frobenius norm, against the predicted matrix
  double theorem_deviation = 0.0;      // as largest_deviation, from the formula of Theorem 3
};

/// One noise for each example is what Theorem 3 describes; for all noises the prediction is the
/// corrected one of predicted_covariance.h, and theorem_deviation shows that the theorem's is not.
CovarianceCheck check_covariance(std::uint32_t candidates, NoiseUse use,
                                 const SimulationSizes& sizes);

}  // namespace cane::theory
