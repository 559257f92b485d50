// The noise law of the paper's experiments: every class outside the candidates is equally likely. A
// draw costs one random number and a walk over the excluded classes.
#pragma once

#include "core/noise/noise_source.h"

namespace cane {

/// The class at this position among the classes that are not excluded (ascending).
inline ClassId class_outside(std::uint64_t place, std::span<const ClassId> excluded) {
  auto label = static_cast<ClassId>(place);
  for (const ClassId candidate : excluded) {
    if (candidate > label) break;
    ++label;
  }
  return label;
}

class UniformNoise final : public FixedNoise {
 public:
  explicit UniformNoise(std::uint32_t classes) : classes_(classes) {}

  void sample(std::span<const ClassId> excluded, const CounterRandom& random, std::uint64_t example,
              std::span<ClassId> noises, std::span<float> log_q) const override;
  float log_probability(ClassId label, std::span<const ClassId> excluded) const override;

 private:
  std::uint32_t classes_;
};

}  // namespace cane
