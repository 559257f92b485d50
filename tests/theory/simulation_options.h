// What the simulations of Theorem 3 and Corollary 1 are asked for: which estimator, and how many
// data sets of what size.
#pragma once

#include <cstdint>

namespace cane::theory {

/// What a label among the candidates is compared with: one noise, drawn once for each example and
/// kept, or the mean over all noises weighted by q, as Eq. obj is written.
enum class NoiseUse { kOneDrawn, kAllWeighted };

struct SimulationSizes {
  std::uint32_t examples = 5000;  // in a data set
  std::uint32_t replications = 1000;
  std::uint64_t seed = 1;  // of the problem and of the data
};

}  // namespace cane::theory
