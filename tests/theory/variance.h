// Corollary 1 (low statistical variance): the more probability the candidates cover, the closer the
// variance of CANE is to that of maximum likelihood. Simulated on the linear problem against the
// number of candidates, the most probable classes of each input, beside what Theorem 3 predicts.
// The theorem's formula belongs to one drawn noise for each example; for the mean over all noises
// see predicted_covariance.h.
#pragma once

#include <cstdint>
#include <vector>

#include "theory/simulation_options.h"

namespace cane::theory {

/// n times the sum over the parameters of the variance of an estimator.
struct VarianceFigure {
  double simulated = 0.0;
  double simulated_error = 0.0;  // standard error of the simulated figure
  double predicted = 0.0;
};

struct VarianceRow {
  std::uint32_t candidates = 0;  // beside the reference class
  double covered = 0.0;          // mean probability of the candidates and the reference class
  VarianceFigure one_noise;      // drawn for each example: Theorem 3
  VarianceFigure all_noises;     // weighted by q, Eq. obj: the corrected formula
  VarianceFigure likelihood;     // the same in each row
};

/// A row for 1, 2, ... K-1 candidates; with K-2 and K-1 CANE is maximum likelihood.
std::vector<VarianceRow> check_variance(const SimulationSizes& sizes);

}  // namespace cane::theory
