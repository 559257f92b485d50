// Draws for an example or for the batch, as pure functions of seed, step, example and draw: any
// thread on any device gets the same classes. Host and device.
#pragma once

#include <cstdint>

#include "kernels/plain/law.h"

namespace cane::kernels {

/// Classes cut into subsets: those of subset i are classes[offsets[i] .. offsets[i + 1]].
struct SubsetView {
  const std::int64_t* offsets = nullptr;
  const std::int32_t* classes = nullptr;
};

/// Draws `count` distinct classes of a subset uniformly (Floyd's algorithm); if it has fewer, all
/// of them, then kNoClass.
CANE_HOST_DEVICE inline void draw_from_subset(const SubsetView& subsets, std::int64_t subset,
                                              std::int64_t count, const CounterRandom& random,
                                              std::uint64_t key, std::int32_t* drawn) {
  const std::int32_t* members = subsets.classes + subsets.offsets[subset];
  const std::int64_t size = subsets.offsets[subset + 1] - subsets.offsets[subset];
  const std::int64_t taken = count < size ? count : size;
  for (std::int64_t i = 0; i < taken; ++i) {
    const std::int64_t last = size - taken + i;
    const auto pick = static_cast<std::int64_t>(
        random.below(static_cast<std::uint64_t>(last) + 1, key, static_cast<std::uint32_t>(i)));
    bool is_drawn = false;
    for (std::int64_t k = 0; k < i; ++k) is_drawn = is_drawn || drawn[k] == members[pick];
    drawn[i] = members[is_drawn ? last : pick];
  }
  for (std::int64_t i = taken; i < count; ++i) drawn[i] = kNoClass;
}

}  // namespace cane::kernels
