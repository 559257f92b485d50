// Theorem 2 (finite-sample asymptotic consistency): the estimator of Eq. obj converges to the truth
// as examples are added, even with a single candidate. Its mean squared error is simulated against
// the number of examples n, beside the variance of the limit divided by n.
#pragma once

#include <cstdint>
#include <vector>

namespace cane::theory {

struct ConvergenceOptions {
  std::vector<std::uint32_t> examples = {400, 1600, 6400, 25600, 102400};
  std::uint32_t candidates = 1;
  std::uint32_t replications = 200;
  std::uint64_t seed = 1;
};

struct ConvergenceRow {
  std::uint32_t examples = 0;
  double squared_error = 0.0;   // of all parameters together, mean over the data sets
  double standard_error = 0.0;  // standard error of that mean
  double predicted = 0.0;
};

std::vector<ConvergenceRow> check_convergence(const ConvergenceOptions& options);

}  // namespace cane::theory
