#include <fmt/format.h>

#include <algorithm>

#include "app/report/line_chart.h"
#include "cli/cane/paper/sections.h"
#include "cli/cane/paper/theory_results.h"
#include "core/base/words.h"

namespace cane::cli::paper {
namespace {

using namespace cane::theory;

std::string small(double value) {
  return fmt::format("{:.1e}", value);
}
std::string figure(const VarianceFigure& value) {
  return fmt::format("{:.1f} ± {:.1f} ({:.1f})", value.simulated, value.simulated_error,
                     value.predicted);
}

void add_consistency(const TheoryResults& results, Section& section) {
  section.say(
      "Theorem 1 (consistency). Twelve classes with known probabilities; the expected gradient at "
      "s_k = log p_k is summed over all labels and all draws of noises, by the code that trains. "
      "It "
      "is zero up to the rounding of floats for any candidates and any law. Pooling the noises of "
      "an "
      "example in one logarithm, instead of a term for each, moves the optimum where a label "
      "outside "
      "the candidates is the only noise, as the paper has it; if such a label takes the place of "
      "one "
      "of several noises, pooling is consistent, too.");
  Table table = {"theorem1",
                 {"candidates", "noise law", "noises", "CANE", "pooled", "pooled beside noises",
                  "objective above 20 others by"},
                 {}};
  for (const ConsistencyRow& row : results.consistency) {
    // With all classes but one as candidates there is one noise to draw, and nothing to vary.
    const bool is_shown = row.chosen == "most probable" ? row.candidates < 11 : row.candidates == 3;
    if (!is_shown) continue;
    table.rows.push_back(
        {fmt::format("{} {}", row.candidates, row.chosen), row.law, fmt::format("{}", row.noises),
         small(row.cane_gradient_norm), small(row.pooled_gradient_norm),
         small(row.pooled_beside_noises_gradient_norm), small(row.objective_margin)});
  }
  section.blocks.emplace_back(std::move(table));
}

void add_convergence(const TheoryResults& results, Section& section) {
  section.say(
      "Theorem 2 (the estimator converges). Eight classes, 14 parameters, one candidate; the mean "
      "squared error of the estimate over 200 samples of n examples, beside the predicted trace of "
      "the covariance over n.");
  Table table = {"theorem2", {"examples", "squared error", "standard error", "predicted"}, {}};
  for (const ConvergenceRow& row : results.convergence) {
    table.rows.push_back({count_text(row.examples), fmt::format("{:.4g}", row.squared_error),
                          fmt::format("{:.2g}", row.standard_error),
                          fmt::format("{:.4g}", row.predicted)});
  }
  section.blocks.emplace_back(std::move(table));
}

std::string variance_picture(const std::vector<VarianceRow>& rows) {
  LineChart chart;
  chart.title = "Variance of the estimate against the number of candidates";
  chart.x_label = "candidates of 7";
  chart.in_percent = false;
  chart.lines = {{"one noise, simulated", {}},
                 {"one noise, predicted", {}},
                 {"all noises, simulated", {}},
                 {"all noises, predicted", {}},
                 {"maximum likelihood, simulated", {}}};
  double high = 0.0;
  double low = 1e30;
  for (const VarianceRow& row : rows) {
    const double x = row.candidates;
    const double values[] = {row.one_noise.simulated, row.one_noise.predicted,
                             row.all_noises.simulated, row.all_noises.predicted,
                             row.likelihood.simulated};
    for (std::size_t i = 0; i < std::size(values); ++i) {
      chart.lines[i].points.push_back({x, values[i]});
      high = std::max(high, values[i]);
      low = std::min(low, values[i]);
    }
  }
  constexpr int kTicks = 8;
  chart.x = linear_axis(rows.front().candidates, rows.back().candidates, kTicks, 1.0, false);
  chart.y = linear_axis(low, high, kTicks, 0.0, true);
  return as_svg(chart, "theorem-variance");
}

void add_variance(const TheoryResults& results, Section& section) {
  section.say(
      "Corollary 1 (low variance). The trace of n times the covariance of the estimate over 1,000 "
      "samples of 5,000 examples, with its standard error, and the prediction in brackets, against "
      "the number of candidates: it goes to that of maximum likelihood as the candidates cover the "
      "label.");
  section.blocks.emplace_back(Picture{"theorem-variance",
                                      "Variance against the number of candidates",
                                      variance_picture(results.variance)});
  Table table = {
      "corollary1",
      {"candidates", "covered", "one noise drawn", "all noises weighted", "maximum likelihood"},
      {}};
  for (const VarianceRow& row : results.variance) {
    table.rows.push_back({fmt::format("{}", row.candidates), percent_text(row.covered),
                          figure(row.one_noise), figure(row.all_noises), figure(row.likelihood)});
  }
  section.blocks.emplace_back(std::move(table));
}

void add_covariance(const TheoryResults& results, Section& section) {
  section.say(
      "Theorem 3 (asymptotic normality). The whole matrix of 14 x 14 covariances with one "
      "candidate. "
      "The theorem's matrix is that of the estimator that draws one noise for each example, which "
      "is "
      "also what its proof derives. For the objective of Eq. (obj), which takes the mean over all "
      "noises, it is an upper bound: there the covariance of the gradient is M - P Cov_q(u_j / "
      "D_j) "
      "with P = p_K + sum of p over the candidates, and the simulation agrees with that.");
  Table table = {"theorem3",
                 {"estimator", "largest deviation", "relative difference",
                  "largest deviation from the theorem's formula"},
                 {}};
  const auto add = [&](const char* name, const CovarianceCheck& check) {
    table.rows.push_back({name, fmt::format("{:.1f} standard errors", check.largest_deviation),
                          percent_text(check.relative_difference),
                          fmt::format("{:.1f} standard errors", check.theorem_deviation)});
  };
  add("one noise drawn", results.one_noise);
  add("all noises weighted", results.all_noises);
  section.blocks.emplace_back(std::move(table));
  Table entries = {
      "theorem3-entries", {"entry, one noise drawn", "simulated", "error", "predicted"}, {}};
  constexpr std::uint32_t kShown = 4;
  const CovarianceCheck& check = results.one_noise;
  for (std::uint32_t row = 0; row < std::min(kShown, check.size); ++row) {
    for (std::uint32_t column = row; column < std::min(kShown, check.size); ++column) {
      const std::size_t at = std::size_t{row} * check.size + column;
      entries.rows.push_back({fmt::format("{}, {}", row + 1, column + 1),
                              fmt::format("{:.2f}", check.simulated[at]),
                              fmt::format("{:.2f}", check.standard_error[at]),
                              fmt::format("{:.2f}", check.predicted[at])});
    }
  }
  section.blocks.emplace_back(std::move(entries));
}

void add_shared_edges(const TheoryResults& results, Section& section) {
  section.say(
      "Proposition 1 (shared edges). Trees of 1,000 classes, 1,000 examples; edges that lie on "
      "every "
      "selected path have no gradient and are skipped in training.");
  Table table = {"proposition1",
                 {"arity", "candidates", "noises", "edges on paths", "on every path",
                  "largest gradient there", "largest of all"},
                 {}};
  for (const SharedEdgesRow& row : results.shared_edges) {
    table.rows.push_back({fmt::format("{}", row.arity), fmt::format("{}", row.candidates),
                          fmt::format("{}", row.noises), count_text(row.edges),
                          count_text(row.shared), small(row.largest_shared_gradient),
                          fmt::format("{:.2f}", row.largest_gradient)});
  }
  section.blocks.emplace_back(std::move(table));
}

}  // namespace

Section theorems_section() {
  const TheoryResults& results = theory_results();
  Section section;
  section.id = "theorems";
  section.heading = "Theorems";
  add_consistency(results, section);
  add_convergence(results, section);
  add_variance(results, section);
  add_covariance(results, section);
  add_shared_edges(results, section);
  section.say(fmt::format("Computed in {} with `cane paper DATA --only theorems`, seed 1.",
                          seconds_text(results.seconds)));
  return section;
}

}  // namespace cane::cli::paper
