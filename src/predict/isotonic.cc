#include "predict/isotonic.h"

#include <algorithm>
#include <cmath>

namespace cane {

void IsotonicBlock::add(const IsotonicBlock& other) {
  const auto sum = static_cast<double>(observations + other.observations);
  x += (other.x - x) * static_cast<double>(other.observations) / sum;
  observations += other.observations;
  ones += other.ones;
}

std::vector<IsotonicBlock> isotonic_regression(std::span<Observation> observations) {
  // What is no number has no place in the order.
  const auto numbers_end = std::partition(observations.begin(), observations.end(),
                                          [](const Observation& o) { return !std::isnan(o.x); });
  observations = {observations.begin(), numbers_end};
  std::sort(observations.begin(), observations.end(),
            [](const Observation& a, const Observation& b) { return a.x < b.x; });
  std::vector<IsotonicBlock> blocks;
  for (std::size_t i = 0; i < observations.size();) {
    IsotonicBlock next = {static_cast<double>(observations[i].x), 0, 0};
    for (const float x = observations[i].x; i < observations.size() && observations[i].x == x;
         ++i) {
      ++next.observations;
      next.ones += observations[i].is_one ? 1 : 0;
    }
    // Products instead of quotients: exact for all counts.
    while (!blocks.empty() &&
           blocks.back().ones * next.observations >= next.ones * blocks.back().observations) {
      blocks.back().add(next);
      next = blocks.back();
      blocks.pop_back();
    }
    blocks.push_back(next);
  }
  return blocks;
}

std::vector<IsotonicBlock> joined(const std::vector<IsotonicBlock>& blocks, std::uint64_t least) {
  std::vector<IsotonicBlock> result;
  for (const IsotonicBlock& block : blocks) {
    if (!result.empty() && result.back().observations < least) {
      result.back().add(block);
    } else {
      result.push_back(block);
    }
  }
  if (result.size() > 1 && result.back().observations < least) {
    const IsotonicBlock last = result.back();
    result.pop_back();
    result.back().add(last);
  }
  return result;
}

}  // namespace cane
