#include "theory/variance.h"

#include "theory/cane_estimator.h"
#include "theory/linear_problem.h"
#include "theory/predicted_covariance.h"
#include "theory/replications.h"

namespace cane::theory {
namespace {

VarianceFigure variance_figure(const LinearProblem& problem,
                               const std::vector<Selection>& selections, NoiseUse use,
                               const SimulationSizes& sizes) {
  const CaneEstimator estimator(problem, selections);
  const Measured simulated = total_variance(simulate_errors(problem, estimator, use, sizes));
  return {simulated.value, simulated.standard_error,
          predicted_covariance(problem, selections, use).trace()};
}

}  // namespace

std::vector<VarianceRow> check_variance(const SimulationSizes& sizes) {
  const LinearProblem problem = make_linear_problem(sizes.seed);
  // With every class a candidate the objective is the likelihood, and either use of noises the
  // same.
  const auto all_classes = select_most_probable(problem, problem.reference());
  VarianceFigure likelihood = variance_figure(problem, all_classes, NoiseUse::kAllWeighted, sizes);
  likelihood.predicted = likelihood_covariance(problem).trace();
  std::vector<VarianceRow> rows;
  for (std::uint32_t count = 1; count <= problem.reference(); ++count) {
    const auto selections = select_most_probable(problem, count);
    VarianceRow row;
    row.candidates = count;
    row.covered = covered_probability(problem, selections);
    row.one_noise = variance_figure(problem, selections, NoiseUse::kOneDrawn, sizes);
    row.all_noises = variance_figure(problem, selections, NoiseUse::kAllWeighted, sizes);
    row.likelihood = likelihood;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace cane::theory
