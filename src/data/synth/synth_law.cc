#include "data/synth/synth_law.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "cane/error.h"

namespace cane {
namespace {

// Purposes of the random numbers; offsets use one stream per level of the hierarchy.
enum Stream : std::uint32_t {
  kPlaces,
  kRanks,
  kSlots,
  kTrainLabels,
  kTestLabels,
  kTrainFeatures,
  kTestFeatures,
  kOffsets = 64,
};

CounterRandom stream(const SynthOptions& options, std::uint32_t number) {
  return {options.seed, RandomPurpose::kSynthetic, number};
}

void check(bool fine, const char* field, const char* rule) {
  if (!fine) throw OptionError(field, rule);
}

const SynthOptions& checked(const SynthOptions& options) {
  check(options.classes >= 2 && options.classes <= (1U << 31), "classes",
        "2 to 2147483648 classes can be told apart; change the number");
  check(options.dimension >= 1, "dimension", "examples need a coordinate; take 1 or more");
  check(options.branching >= 2, "branching", "a group needs parts; take 2 or more");
  check(std::isfinite(options.noise) && options.noise > 0.0, "noise",
        "the standard deviation must be a number above 0");
  check(std::isfinite(options.zipf) && options.zipf >= 0.0, "zipf",
        "the exponent must be a number, 0 (balanced) or more");
  check(options.examples >= options.classes, "examples",
        "every class needs a training example; take at least as many as `classes`");
  check(options.test_examples >= 1, "test_examples",
        "the best accuracy is measured on test examples; take 1 or more");
  return options;
}

// Standard normal numbers for one (stream, example), by Box-Muller: four from four words.
template <typename Body>
void for_each_normal(const CounterRandom& random, std::uint64_t example, std::size_t count,
                     const Body& body) {
  std::array<double, 4> normals{};
  for (std::size_t begin = 0; begin < count; begin += 4) {
    const auto words = random.words(example, static_cast<std::uint32_t>(begin / 4));
    for (std::size_t pair = 0; pair < 4; pair += 2) {
      const double radius =
          std::sqrt(-2.0 * std::log((static_cast<double>(words[pair]) + 1.0) * 0x1.0p-32));
      const double angle =
          2.0 * std::numbers::pi * (static_cast<double>(words[pair + 1]) * 0x1.0p-32);
      normals[pair] = radius * std::cos(angle);
      normals[pair + 1] = radius * std::sin(angle);
    }
    for (std::size_t i = begin; i < std::min(begin + 4, count); ++i) body(i, normals[i - begin]);
  }
}

template <typename Body>
void run_in_chunks(ThreadPool& pool, std::size_t count, const Body& body) {
  constexpr std::size_t kChunk = 64;
  pool.run((count + kChunk - 1) / kChunk, [&](std::size_t task, int) {
    const std::size_t end = std::min((task + 1) * kChunk, count);
    for (std::size_t i = task * kChunk; i < end; ++i) body(i);
  });
}

}  // namespace

SynthLaw::SynthLaw(const SynthOptions& options, ThreadPool& pool)
    : options_(checked(options)),
      places_(options.classes, stream(options, kPlaces)),
      slots_(options.examples, stream(options, kSlots)) {
  make_frequencies();
  make_centres(pool);
}

void SynthLaw::make_frequencies() {
  const RandomPermutation ranks(options_.classes, stream(options_, kRanks));
  cumulative_frequencies_.reserve(options_.classes);
  double total = 0.0;
  for (ClassId label = 0; label < options_.classes; ++label) {
    total += std::pow(static_cast<double>(ranks(label) + 1), -options_.zipf);
    cumulative_frequencies_.push_back(total);
  }
  for (double& sum : cumulative_frequencies_) sum /= total;
}

double SynthLaw::frequency(ClassId label) const {
  return cumulative_frequencies_[label] - (label > 0 ? cumulative_frequencies_[label - 1] : 0.0);
}

void SynthLaw::make_centres(ThreadPool& pool) {
  const std::size_t dimension = options_.dimension;
  const std::uint64_t branching = options_.branching;
  const auto deviation = [&](std::uint64_t group_size) {
    return kSeparation * std::cbrt(static_cast<double>(group_size)) /
           std::sqrt(static_cast<double>(dimension));
  };
  std::uint64_t group_size = branching;
  while (group_size < options_.classes) group_size *= branching;
  std::uint32_t level = 0;
  std::vector<double> parents(dimension, 0.0);
  std::vector<double> groups;
  for (; group_size > branching; ++level) {
    group_size /= branching;
    const std::size_t count = (options_.classes + group_size - 1) / group_size;
    const CounterRandom random = stream(options_, kOffsets + level);
    groups.resize(count * dimension);
    run_in_chunks(pool, count, [&](std::size_t group) {
      const double* parent = parents.data() + group / branching * dimension;
      double* centre = groups.data() + group * dimension;
      for_each_normal(random, group, dimension, [&](std::size_t i, double normal) {
        centre[i] = parent[i] + deviation(group_size) * normal;
      });
    });
    std::swap(parents, groups);
  }
  const CounterRandom random = stream(options_, kOffsets + level);
  centres_.resize(options_.classes * dimension);
  run_in_chunks(pool, options_.classes, [&](std::size_t label) {
    const std::uint64_t place = places_(label);
    const double* parent = parents.data() + place / branching * dimension;
    float* centre = centres_.data() + label * dimension;
    for_each_normal(random, place, dimension, [&](std::size_t i, double normal) {
      centre[i] = static_cast<float>(parent[i] + deviation(1) * normal);
    });
  });
}

ClassId SynthLaw::label(SynthSplit split, std::uint64_t example) const {
  if (split == SynthSplit::kTrain) {
    const std::uint64_t slot = slots_(example);
    if (slot < options_.classes) return static_cast<ClassId>(slot);
  }
  const auto number = split == SynthSplit::kTrain ? kTrainLabels : kTestLabels;
  const double target = stream(options_, number).uniform(example, 0);
  const auto found = std::ranges::upper_bound(cumulative_frequencies_, target);
  const auto label = static_cast<ClassId>(found - cumulative_frequencies_.begin());
  return std::min(label, options_.classes - 1);
}

void SynthLaw::features(SynthSplit split, std::uint64_t example, ClassId label,
                        std::span<float> values) const {
  const auto number = split == SynthSplit::kTrain ? kTrainFeatures : kTestFeatures;
  const auto mean = centre(label);
  for_each_normal(
      stream(options_, number), example, values.size(), [&](std::size_t i, double normal) {
        values[i] = static_cast<float>(static_cast<double>(mean[i]) + options_.noise * normal);
      });
}

}  // namespace cane
