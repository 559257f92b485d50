// The best few of the scores of several blocks: what beam search keeps of a level. Instead of a
// heap it looks for the threshold that so many scores reach: a few counts over the few hundred
// scores of a beam, each a handful of vector operations, and little for the branch predictor to
// miss.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"

namespace cane {

/// Floats that must be readable behind the scores of a block, so that whole vectors can be loaded.
inline constexpr std::size_t kReadableBehind = 16;

/// The scores of a node's children. On equal scores the child with the lower tie wins.
struct ScoredChildren {
  const float* scores;
  const ClassId* ties;
  std::uint32_t count;
};

struct Choice {
  std::uint32_t block;
  std::uint32_t child;
  float score;
};

/// Writes the best min(keep, number of children) to `choices`, in no particular order;
/// returns how many. A score that is not a number counts as the lowest. `scratch`
/// grows as needed.
std::uint32_t select_best(std::span<const ScoredChildren> blocks, std::uint32_t keep,
                          std::vector<float>& scratch, Choice* choices);

}  // namespace cane
