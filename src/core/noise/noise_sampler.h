// A noise law q on the classes outside a candidate set. Draws are independent, with replacement,
// and come with the exact log-probability they were made with: consistency rests on that.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/random.h"
#include "core/base/types.h"

namespace cane {

class NoiseSampler {
 public:
  virtual ~NoiseSampler() = default;

  /// Fills `noises` with classes outside `excluded` (ascending, distinct, not all classes) and
  /// `log_q` with their log-probabilities. It is a pure function of its arguments, and no two draws
  /// of an example use the same number of `random`.
  virtual void sample(std::span<const ClassId> excluded, const CounterRandom& random,
                      std::uint64_t example, std::span<ClassId> noises,
                      std::span<float> log_q) const = 0;

  /// log q of a class that is not in `excluded`.
  virtual float log_probability(ClassId label, std::span<const ClassId> excluded) const = 0;
};

}  // namespace cane
