#include "core/noise/uniform_noise.h"

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
    noises[draw] = class_outside(random.below(outside, example, draw), excluded);
    log_q[draw] = log_share;
  }
}

float UniformNoise::log_probability(ClassId /*label*/, std::span<const ClassId> excluded) const {
  return -std::log(static_cast<float>(classes_ - excluded.size()));
}

}  // namespace cane
