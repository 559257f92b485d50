#include "noise/uniform_noise.h"

#include <cassert>
#include <cmath>

namespace cane {

void UniformNoise::sample(std::span<const ClassId> excluded, const CounterRandom& random,
                          std::uint64_t example, std::span<ClassId> noises,
                          std::span<float> log_q) const {
  assert(excluded.size() < classes_);
  const std::uint64_t outside = classes_ - excluded.size();
  const float log_share = log_probability(0, excluded);
  for (std::uint32_t draw = 0; draw < noises.size(); ++draw) {
    // The r-th class that is not excluded: step over every excluded one at or below it.
    auto drawn = static_cast<ClassId>(random.below(outside, example, draw));
    for (const ClassId candidate : excluded) {
      if (candidate > drawn) break;
      ++drawn;
    }
    noises[draw] = drawn;
    log_q[draw] = log_share;
  }
}

float UniformNoise::log_probability(ClassId /*label*/, std::span<const ClassId> excluded) const {
  return -std::log(static_cast<float>(classes_ - excluded.size()));
}

}  // namespace cane
