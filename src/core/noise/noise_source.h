// Source of noises: a law q on the classes outside a given set. Draws are independent, with
// replacement, and come with the exact log-probability under which they were drawn, which
// consistency requires. A law may depend on the features of an example, never on its label.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/random.h"
#include "core/base/types.h"

namespace cane {

/// Share of the noises that learned and skewed laws draw uniformly, which bounds 1 / q.
inline constexpr double kNoiseFloor = 0.1;

/// Noise source of one thread.
class NoiseSource {
 public:
  virtual ~NoiseSource() = default;

  /// Fills `noises` with classes outside `excluded` (ascending, distinct, not all classes) and
  /// `log_q` with their log-probabilities. `example` is the index in the batch selected last, for
  /// laws that depend on it; `number` is its index in the data: no two draws for it use the same
  /// number of `random`.
  virtual void draw(std::uint32_t example, std::span<const ClassId> excluded,
                    const CounterRandom& random, std::uint64_t number, std::span<ClassId> noises,
                    std::span<float> log_q) = 0;

  /// How often it is worth to draw noises for an example whose label is among `excluded`, in (0,
  /// 1]. As the law, it may depend on the features of the example, never on its label.
  virtual float draw_probability(std::uint32_t /*example*/, std::span<const ClassId> /*excluded*/) {
    return 1.0F;
  }

  /// log q of a class that is not in `excluded`.
  virtual float log_q(std::uint32_t example, ClassId class_id,
                      std::span<const ClassId> excluded) = 0;
};

/// A law that is the same for every example; threads may share it.
class FixedNoise : public NoiseSource {
 public:
  /// As NoiseSource::draw: a pure function of its arguments.
  virtual void sample(std::span<const ClassId> excluded, const CounterRandom& random,
                      std::uint64_t number, std::span<ClassId> noises,
                      std::span<float> log_q) const = 0;
  virtual float log_probability(ClassId class_id, std::span<const ClassId> excluded) const = 0;

  void draw(std::uint32_t /*example*/, std::span<const ClassId> excluded,
            const CounterRandom& random, std::uint64_t number, std::span<ClassId> noises,
            std::span<float> log_q) final {
    sample(excluded, random, number, noises, log_q);
  }
  float log_q(std::uint32_t /*example*/, ClassId class_id,
              std::span<const ClassId> excluded) final {
    return log_probability(class_id, excluded);
  }
};

}  // namespace cane
