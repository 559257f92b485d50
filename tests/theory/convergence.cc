#include "theory/convergence.h"

#include "theory/cane_estimator.h"
#include "theory/linear_problem.h"
#include "theory/predicted_covariance.h"
#include "theory/replications.h"

namespace cane::theory {

std::vector<ConvergenceRow> check_convergence(const ConvergenceOptions& options) {
  const LinearProblem problem = make_linear_problem(options.seed);
  const auto selections = select_most_probable(problem, options.candidates);
  const CaneEstimator estimator(problem, selections);
  const double variance = predicted_covariance(problem, selections, NoiseUse::kAllWeighted).trace();
  std::vector<ConvergenceRow> rows;
  for (const std::uint32_t examples : options.examples) {
    const auto n = static_cast<double>(examples);
    const Measured error =
        total_squared_error(simulate_errors(problem, estimator, NoiseUse::kAllWeighted,
                                            {examples, options.replications, options.seed}));
    rows.push_back({examples, error.value / n, error.standard_error / n, variance / n});
  }
  return rows;
}

}  // namespace cane::theory
