#include "app/report/axis.h"

#include <algorithm>
#include <cmath>

namespace cane::cli {
namespace {

// Rounding must not lose a tick at the end of the range.
constexpr double kSlack = 1e-9;

double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1.0 - kSlack)) return factor * power;
  }
  return 10.0 * power;
}

/// Positions of ticks between powers of ten.
std::vector<double> tick_factors(double decades) {
  constexpr double kManyDecades = 4.0;
  if (decades > kManyDecades) return {1.0};
  if (decades >= 1.0) return {1.0, 2.0, 5.0};
  return {1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0};
}

}  // namespace

double Axis::place(double value) const {
  if (logarithmic) return std::log(value / low) / std::log(high / low);
  return (value - low) / (high - low);
}

Axis linear_axis(double low, double high, int most_ticks, double least_step, bool round_ends) {
  Axis axis;
  const double least = std::max((high - low) / most_ticks, std::max(least_step, 1e-12));
  const double step = round_step(least);
  axis.low = round_ends ? std::floor(low / step + kSlack) * step : low;
  axis.high = round_ends ? std::ceil(high / step - kSlack) * step : high;
  if (axis.high <= axis.low) axis.high = axis.low + step;
  const auto first = static_cast<long>(std::ceil(axis.low / step - kSlack));
  const auto last = static_cast<long>(std::floor(axis.high / step + kSlack));
  for (long multiple = first; multiple <= last; ++multiple) {
    axis.ticks.push_back(static_cast<double>(multiple) * step);
  }
  return axis;
}

Axis logarithmic_axis(double low, double high) {
  Axis axis;
  axis.low = low;
  axis.high = high;
  axis.logarithmic = true;
  for (int power = static_cast<int>(std::floor(std::log10(low)));
       power <= static_cast<int>(std::ceil(std::log10(high))); ++power) {
    for (const double factor : tick_factors(std::log10(high / low))) {
      const double tick = factor * std::pow(10.0, power);
      if (tick >= low * (1.0 - kSlack) && tick <= high * (1.0 + kSlack)) axis.ticks.push_back(tick);
    }
  }
  return axis;
}

}  // namespace cane::cli
