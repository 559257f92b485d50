// An axis of a chart: the range it shows, and ticks at round numbers.
#pragma once

#include <string>
#include <vector>

namespace cane::cli {

struct Axis {
  double low = 0.0;
  double high = 1.0;
  bool logarithmic = false;
  std::vector<double> ticks;

  /// 0 at the low end, 1 at the high one.
  double place(double value) const;
};

/// Ticks at multiples of 1, 2 or 5 times a power of ten, at least `least_step` apart and at most
/// `most_ticks` of them. With `round_ends` the range is widened to the next ticks.
Axis linear_axis(double low, double high, int most_ticks, double least_step, bool round_ends);
/// 0 < low < high. Ticks at 1, 2 and 5 times the powers of ten, at these alone for many of them,
/// and at more places between for a range of less than one.
Axis logarithmic_axis(double low, double high);

}  // namespace cane::cli
