// The power-raised unigram law of the sampling methods: q(k) is proportional to count_k^power over
// the classes outside the excluded set. Power 1 draws classes as often as they occur, 0 is uniform.
//
// A draw takes O(1) expected time: it samples an alias table and rejects excluded classes. If the
// excluded classes hold most of the mass, or after too many rejections, the remaining classes are
// searched instead in O(|excluded| log K). Both follow the same law, so the time is bounded for any
// counts.
#pragma once

#include <vector>

#include "core/noise/alias_table.h"
#include "core/noise/mass_tree.h"
#include "core/noise/noise_source.h"

namespace cane {

/// count^power of every class, relative to the largest. A class without examples counts as one
/// example, and no mass underflows to zero. Throws Error unless power is finite and 0 or more.
std::vector<double> power_masses(std::span<const std::uint64_t> counts, float power);

class UnigramNoise final : public FixedNoise {
 public:
  /// counts[k]: number or total weight of the examples of class k; finite, 0 or more. A class
  /// without examples counts as one example, since it may still occur as a label. Throws Error
  /// unless power is finite and 0 or more.
  UnigramNoise(std::span<const double> counts, float power);
  UnigramNoise(std::span<const std::uint64_t> counts, float power);

  void sample(std::span<const ClassId> excluded, const CounterRandom& random, std::uint64_t example,
              std::span<ClassId> noises, std::span<float> log_q) const override;
  float log_probability(ClassId label, std::span<const ClassId> excluded) const override;

 private:
  struct Remaining {
    double mass;
    bool is_small;  // relative to the total: few draws would be outside the excluded set
  };

  explicit UnigramNoise(const std::vector<double>& masses);
  Remaining remaining(std::span<const ClassId> excluded) const;
  ClassId draw_outside(std::span<const ClassId> excluded, const Remaining& rest,
                       const CounterRandom& random, std::uint64_t example, std::uint32_t draw,
                       std::uint32_t draws) const;

  MassTree masses_;
  AliasTable table_;
};

}  // namespace cane
