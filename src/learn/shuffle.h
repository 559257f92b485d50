// The order of the examples in an epoch: a permutation that is a pure function of seed and epoch.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.h"

namespace cane {

inline void shuffle_examples(std::uint64_t seed, std::uint32_t epoch,
                             std::vector<std::uint32_t>& order) {
  const CounterRandom random(seed, RandomPurpose::kShuffle, epoch);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.below(i, i, 0)]);
  }
}

}  // namespace cane
