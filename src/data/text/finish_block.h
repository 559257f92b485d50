// The first half of the assembly, within one block: see assemble.h.
#pragma once

#include <cstdint>

#include "data/text/assemble.h"

namespace cane {

struct FinishedCounts {
  std::uint64_t unseen_labels = 0;
  std::uint64_t dropped_features = 0;
};

/// Rewrites the block in place: label_of holds classes, features the final ones, sorted and merged.
FinishedCounts finish_block(NumberedBlock& block, const AssemblyPlan& plan);

}  // namespace cane
