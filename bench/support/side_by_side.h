// Times several implementations of the same task in turns, so that noise on the machine affects all
// of them equally, and reports medians and ratios.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

namespace cane::bench {

template <typename Work>
double seconds_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// The median of a[i] / b[i]: both are from the same round, so that noise in a round cancels.
inline double median_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.size(); ++i) ratios.push_back(a[i] / b[i]);
  return median(std::move(ratios));
}

/// The seconds of each work in each round, after one untimed round to warm up.
inline std::vector<std::vector<double>> take_turns(
    int rounds, const std::vector<std::function<void()>>& works) {
  std::vector<std::vector<double>> seconds(works.size());
  for (int round = 0; round <= rounds; ++round) {
    for (std::size_t i = 0; i < works.size(); ++i) {
      const double taken = seconds_of(works[i]);
      if (round > 0) seconds[i].push_back(taken);
    }
  }
  return seconds;
}

struct Comparison {
  double reference_seconds;  // per item
  double seconds;
  double ratio() const { return reference_seconds / seconds; }
};

/// `reference_items` and `items` are the items that one call of each work processes.
template <typename Reference, typename Work>
Comparison side_by_side(int rounds, double reference_items, const Reference& reference,
                        double items, const Work& work) {
  const auto seconds = take_turns(rounds, {std::cref(reference), std::cref(work)});
  return {median(seconds[0]) / reference_items, median(seconds[1]) / items};
}

inline void print(const char* reference, const char* work, const char* item, const Comparison& c) {
  fmt::print("{:<44} {:>12.0f} {}/s\n{:<44} {:>12.0f} {}/s\n{:<44} {:>12.2f}\n", reference,
             1.0 / c.reference_seconds, item, work, 1.0 / c.seconds, item, "ratio", c.ratio());
}

}  // namespace cane::bench
