// An axis of a chart: the range it shows, and ticks at round numbers.
#pragma once

#include <vector>

namespace cane::cli {

struct Axis {
  double low = 0.0;
  double high = 1.0;
  bool logarithmic = false;
  std::vector<double> ticks;

  /// 0 at the low end, 1 at the high end.
  double place(double value) const;
};

/// Ticks at multiples of 1, 2 or 5 times a power of ten, at least `least_step` apart and at most
/// `most_ticks` of them. With `round_ends` the range is widened to the next ticks.
Axis linear_axis(double low, double high, int most_ticks, double least_step, bool round_ends);
/// Requires 0 < low < high. Ticks are at 1, 2 and 5 times the powers of ten; only at the powers if
/// there are many decades, and at more places between if the range is less than one decade.
Axis logarithmic_axis(double low, double high);

}  // namespace cane::cli
