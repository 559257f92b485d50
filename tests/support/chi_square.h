// Pearson's test of observed counts against a stated law.
#pragma once

#include <cmath>
#include <limits>
#include <span>

namespace cane::testing {

struct ChiSquare {
  double statistic;
  double limit;  // exceeded by chance once in a million
};

/// Outcomes expected fewer than five times are pooled, and left out if the pool is still below
/// five: the approximation requires it. An impossible outcome that occurred makes the statistic
/// infinite.
inline ChiSquare chi_square(std::span<const double> observed, std::span<const double> law) {
  double draws = 0.0;
  for (const double count : observed) draws += count;
  double statistic = 0.0;
  double cells = 0.0;
  double rare_observed = 0.0;
  double rare_expected = 0.0;
  const auto add = [&](double count, double expected) {
    statistic += (count - expected) * (count - expected) / expected;
    cells += 1.0;
  };
  for (std::size_t i = 0; i < law.size(); ++i) {
    if (law[i] == 0.0 && observed[i] > 0.0) return {std::numeric_limits<double>::infinity(), 0.0};
    if (draws * law[i] >= 5.0) {
      add(observed[i], draws * law[i]);
    } else {
      rare_observed += observed[i];
      rare_expected += draws * law[i];
    }
  }
  if (rare_expected >= 5.0) add(rare_observed, rare_expected);
  if (cells < 2.0) return {statistic, 1e-6 * draws};
  // Wilson and Hilferty: the cube root of chi-square over its degrees of freedom is nearly normal.
  constexpr double kNormalQuantile = 4.7534;  // quantile of 1 - 1e-6
  const double freedom = cells - 1.0;
  const double spread = 2.0 / (9.0 * freedom);
  return {statistic, freedom * std::pow(1.0 - spread + kNormalQuantile * std::sqrt(spread), 3.0)};
}

}  // namespace cane::testing
