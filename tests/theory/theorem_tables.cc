// Prints what the checks of the theorems measure as one JSON object, a table for each theorem: the
// section "Theorems" of the report (docs/paper.md) is drawn from it. The same seeds always, so that
// two runs print the same.
#include <iostream>
#include <nlohmann/json.hpp>

#include "theory/consistency.h"
#include "theory/convergence.h"
#include "theory/covariance.h"
#include "theory/shared_edges.h"
#include "theory/variance.h"

namespace cane::theory {
namespace {

using Json = nlohmann::ordered_json;

Json theorem_1() {
  Json rows = Json::array();
  for (const ConsistencyRow& row : check_consistency({})) {
    rows.push_back({{"candidates", row.candidates},
                    {"chosen", row.chosen},
                    {"law", row.law},
                    {"noises", row.noises},
                    {"cane", row.cane_gradient_norm},
                    {"pooled", row.pooled_gradient_norm},
                    {"pooled_beside_noises", row.pooled_beside_noises_gradient_norm},
                    {"margin", row.objective_margin}});
  }
  return rows;
}

Json theorem_2() {
  Json rows = Json::array();
  for (const ConvergenceRow& row : check_convergence({})) {
    rows.push_back({{"examples", row.examples},
                    {"squared_error", row.squared_error},
                    {"standard_error", row.standard_error},
                    {"predicted", row.predicted}});
  }
  return rows;
}

Json theorem_3(const char* estimator, NoiseUse use) {
  const CovarianceCheck check = check_covariance(1, use, {});
  return {{"estimator", estimator},
          {"deviation", check.largest_deviation},
          {"relative_difference", check.relative_difference},
          {"theorem_deviation", check.theorem_deviation},
          {"size", check.size},
          {"simulated", check.simulated},
          {"standard_error", check.standard_error},
          {"predicted", check.predicted}};
}

Json figure(const VarianceFigure& value) {
  return {{"simulated", value.simulated},
          {"standard_error", value.simulated_error},
          {"predicted", value.predicted}};
}

Json corollary_1() {
  Json rows = Json::array();
  for (const VarianceRow& row : check_variance({})) {
    rows.push_back({{"candidates", row.candidates},
                    {"covered", row.covered},
                    {"one_noise", figure(row.one_noise)},
                    {"all_noises", figure(row.all_noises)},
                    {"likelihood", figure(row.likelihood)}});
  }
  return rows;
}

Json proposition_1() {
  Json rows = Json::array();
  for (const SharedEdgesRow& row : check_shared_edges({})) {
    rows.push_back({{"arity", row.arity},
                    {"candidates", row.candidates},
                    {"noises", row.noises},
                    {"edges", row.edges},
                    {"shared", row.shared},
                    {"largest_shared_gradient", row.largest_shared_gradient},
                    {"largest_gradient", row.largest_gradient}});
  }
  return rows;
}

}  // namespace

Json theorem_tables() {
  return {{"theorem1", theorem_1()},
          {"theorem2", theorem_2()},
          {"theorem3",
           {theorem_3("one noise drawn", NoiseUse::kOneDrawn),
            theorem_3("all noises weighted", NoiseUse::kAllWeighted)}},
          {"corollary1", corollary_1()},
          {"proposition1", proposition_1()}};
}

}  // namespace cane::theory

int main() {
  std::cout << cane::theory::theorem_tables().dump(1) << '\n';
}
