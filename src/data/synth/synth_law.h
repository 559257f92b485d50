// The law of the synthetic data. Classes are the leaves of a hierarchy in which every group has
// `branching` parts. A group of m classes lies off the centre of the group above it by a Gaussian
// offset of root-mean-square length kSeparation * m^(1/3), a class (m = 1) off its group by
// kSeparation, whatever the dimension. An example is its class's centre plus `noise` times a
// standard normal number for each coordinate. Which place in the hierarchy and which rank of
// frequency a class has is random, so labels tell nothing.
//
// Every number is a pure function of the seed and of what it stands for.
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
  /// Throws Error that names the option unless the options make sense.
  SynthLaw(const SynthOptions& options, ThreadPool& pool);

  const SynthOptions& options() const { return options_; }
  std::span<const float> centre(ClassId label) const {
    return std::span(centres_).subspan(std::size_t{label} * options_.dimension, options_.dimension);
  }
  /// The share of a class among test examples.
  double frequency(ClassId label) const;
  /// The place of a class among the leaves of the hierarchy: places p and r belong to one group of
  /// m classes if p / m == r / m.
  std::uint32_t place(ClassId label) const { return static_cast<std::uint32_t>(places_(label)); }

  std::uint64_t size(SynthSplit split) const {
    return split == SynthSplit::kTrain ? options_.examples : options_.test_examples;
  }
  /// Test labels are drawn by frequency. So are training labels, but for one example of each class,
  /// at a random place, so that none is missing.
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
