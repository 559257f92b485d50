// Times two ways of doing the same, taking turns, so that a noisy machine disturbs both alike, and
// reports the medians and their ratio.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
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

struct Comparison {
  double reference_seconds;  // for an item
  double seconds;
  double ratio() const { return reference_seconds / seconds; }
};

/// The works do so many items each time; one round before the timing warms both up.
template <typename Reference, typename Work>
Comparison side_by_side(int rounds, double reference_items, const Reference& reference,
                        double items, const Work& work) {
  std::vector<double> reference_seconds;
  std::vector<double> seconds;
  for (int round = 0; round <= rounds; ++round) {
    const double slow = seconds_of(reference);
    const double fast = seconds_of(work);
    if (round == 0) continue;
    reference_seconds.push_back(slow / reference_items);
    seconds.push_back(fast / items);
  }
  return {median(reference_seconds), median(seconds)};
}

inline void print(const char* reference, const char* work, const char* item, const Comparison& c) {
  fmt::print("{:<44} {:>12.0f} {}/s\n{:<44} {:>12.0f} {}/s\n{:<44} {:>12.2f}\n", reference,
             1.0 / c.reference_seconds, item, work, 1.0 / c.seconds, item, "ratio", c.ratio());
}

}  // namespace cane::bench
