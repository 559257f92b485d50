// The distribution of the synthetic data. Classes are the leaves of a hierarchy in which every
// group has `branching` parts. A group of m classes is displaced from the centre of its parent
// group by a Gaussian offset of root-mean-square length kSeparation * m^(1/3), and a class (m = 1)
// from its group by kSeparation, for any dimension. An example is the centre of its class plus
// `noise` times a standard normal number per coordinate. The position of a class in the hierarchy
// and its frequency rank are random, so labels carry no information.
//
// Every number is a pure function of the seed and its role.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cane/synth.h"
#include "core/base/random.h"
#include "core/base/random_permutation.h"
#include "core/base/thread_pool.h"
#include "core/base/types.h"

namespace cane {

inline constexpr double kSeparation = 1.5;

enum class SynthSplit { kTrain, kTest };

class SynthLaw {
 public:
  /// Throws Error that names the option if an option is invalid.
  SynthLaw(const SynthOptions& options, ThreadPool& pool);

  const SynthOptions& options() const { return options_; }
  std::span<const float> centre(ClassId label) const {
    return std::span(centres_).subspan(std::size_t{label} * options_.dimension, options_.dimension);
  }
  /// Share of a class among the test examples.
  double frequency(ClassId label) const;
  /// Position of a class among the leaves of the hierarchy: positions p and r belong to the same
  /// group of m classes if p / m == r / m.
  std::uint32_t place(ClassId label) const { return static_cast<std::uint32_t>(places_(label)); }

  std::uint64_t size(SynthSplit split) const {
    return split == SynthSplit::kTrain ? options_.examples : options_.test_examples;
  }
  /// Test labels are drawn by frequency. So are training labels, except for one example of each
  /// class, at a random position, so that every class occurs.
  ClassId label(SynthSplit split, std::uint64_t example) const;
  /// Writes the features of an example of class `label`.
  void features(SynthSplit split, std::uint64_t example, ClassId label,
                std::span<float> values) const;

 private:
  void make_frequencies();
  void make_centres(ThreadPool& pool);

  SynthOptions options_;
  RandomPermutation places_;
  RandomPermutation slots_;  // places of the training examples: the first K belong to a class each
  std::vector<double> cumulative_frequencies_;
  std::vector<float> centres_;  // classes x dimension
};

}  // namespace cane
