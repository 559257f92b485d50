// Draws for a token or for the batch, as pure functions of seed, step, token and draw: any thread
// on any device gets the same words. Host and device.
#pragma once

#include <cstdint>

#include "lm/sampled/plain/law.h"

namespace cane::lm {

/// Words cut into subsets: those of subset i are words[offsets[i] .. offsets[i + 1]].
struct SubsetView {
  const std::int64_t* offsets = nullptr;
  const std::int32_t* words = nullptr;
};

/// Draws `count` distinct words of a subset uniformly (Floyd's algorithm); if it has fewer, all of
/// them, then kNoWord.
CANE_HOST_DEVICE inline void draw_from_subset(const SubsetView& subsets, std::int64_t subset,
                                              std::int64_t count, const CounterRandom& random,
                                              std::uint64_t example, std::int32_t* drawn) {
  const std::int32_t* members = subsets.words + subsets.offsets[subset];
  const std::int64_t size = subsets.offsets[subset + 1] - subsets.offsets[subset];
  const std::int64_t taken = count < size ? count : size;
  for (std::int64_t i = 0; i < taken; ++i) {
    const std::int64_t last = size - taken + i;
    const auto pick = static_cast<std::int64_t>(
        random.below(static_cast<std::uint64_t>(last) + 1, example, static_cast<std::uint32_t>(i)));
    bool is_drawn = false;
    for (std::int64_t k = 0; k < i; ++k) is_drawn = is_drawn || drawn[k] == members[pick];
    drawn[i] = members[is_drawn ? last : pick];
  }
  for (std::int64_t i = taken; i < count; ++i) drawn[i] = kNoWord;
}

}  // namespace cane::lm
