#include "core/noise/unigram_noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "cane/error.h"

namespace cane {
namespace {

// Above this share of excluded mass, the remaining classes are searched. Up to it, their mass is
// computed as the total minus the excluded mass, with a relative error of a few roundings.
constexpr double kMaxExcluded = 0.75;

// Rejections before the remaining classes are searched: one draw in a hundred at the share above.
constexpr std::uint32_t kTries = 16;

// Relative to the largest mass. Keeps every class possible when a power would underflow.
constexpr double kMinMass = 0x1.0p-900;

template <typename Count>
std::vector<double> raised(std::span<const Count> counts, float power) {
  if (!(power >= 0.0F) || std::isinf(power)) {
    throw OptionError("noise_power", fmt::format("{} is no power", power),
                      "take a number of 0 or more");
  }
  std::vector<double> masses;
  masses.reserve(counts.size());
  double largest = 0.0;
  for (const Count count : counts) {
    masses.push_back(count > 0 ? static_cast<double>(count) : 1.0);
    largest = std::max(largest, masses.back());
  }
  for (double& mass : masses) {
    mass = std::max(std::pow(mass / largest, static_cast<double>(power)), kMinMass);
  }
  return masses;
}

// Rounding must not push a probability above one.
float log_share(double mass, double log_whole) {
  return static_cast<float>(std::min(std::log(mass) - log_whole, 0.0));
}

}  // namespace

std::vector<double> power_masses(std::span<const std::uint64_t> counts, float power) {
  return raised(counts, power);
}

UnigramNoise::UnigramNoise(std::span<const double> counts, float power)
    : UnigramNoise(raised(counts, power)) {}

UnigramNoise::UnigramNoise(std::span<const std::uint64_t> counts, float power)
    : UnigramNoise(raised(counts, power)) {}

UnigramNoise::UnigramNoise(const std::vector<double>& masses)
    : masses_(masses), table_(masses, masses_.total()) {}

UnigramNoise::Remaining UnigramNoise::remaining(std::span<const ClassId> excluded) const {
  assert(excluded.size() < masses_.size());
  double excluded_mass = 0.0;
  for (const ClassId label : excluded) excluded_mass += masses_.mass(label);
  const double total = masses_.total();
  if (excluded_mass > kMaxExcluded * total) return {masses_.total_without(excluded), true};
  return {total - excluded_mass, false};
}

ClassId UnigramNoise::draw_outside(std::span<const ClassId> excluded, const Remaining& rest,
                                   const CounterRandom& random, std::uint64_t example,
                                   std::uint32_t draw, std::uint32_t draws) const {
  // Every attempt and the search use their own random number, distinct from the numbers of all
  // other draws.
  if (!rest.is_small) {
    for (std::uint32_t attempt = 0; attempt < kTries; ++attempt, draw += draws) {
      const ClassId label = table_.draw(random.words(example, draw));
      if (!std::ranges::binary_search(excluded, label)) return label;
    }
  }
  return masses_.find_without(excluded, random.uniform(example, draw) * rest.mass);
}

void UnigramNoise::sample(std::span<const ClassId> excluded, const CounterRandom& random,
                          std::uint64_t example, std::span<ClassId> noises,
                          std::span<float> log_q) const {
  assert(noises.size() < std::numeric_limits<std::uint32_t>::max() / (kTries + 1));
  const Remaining rest = remaining(excluded);
  const double log_rest = std::log(rest.mass);
  const auto draws = static_cast<std::uint32_t>(noises.size());
  for (std::uint32_t draw = 0; draw < draws; ++draw) {
    noises[draw] = draw_outside(excluded, rest, random, example, draw, draws);
    log_q[draw] = log_share(masses_.mass(noises[draw]), log_rest);
  }
}

float UnigramNoise::log_probability(ClassId label, std::span<const ClassId> excluded) const {
  return log_share(masses_.mass(label), std::log(remaining(excluded).mass));
}

}  // namespace cane
