// How the raw probabilities of a model become calibrated ones: part of the model, learned from
// held-out examples by predict/fit_calibration.
//
// The scores of an example are divided by the temperature of its best class's group. With p the
// probability that the best class then has, it gets share_of(p); the others keep their order and
// their ratios and share the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cane {

inline constexpr std::size_t kFrequencyGroups = 3;
/// The group of a class with this many training examples: 0 head, 1 middle, 2 tail
/// (cane/predict.h).
std::size_t frequency_group(std::uint64_t training_examples);

struct Calibration {
  std::vector<float> temperatures;   // one for each group; empty: there is no calibration
  std::vector<float> probabilities;  // increasing, in [0, 1]: raw probabilities of the best class,
  std::vector<float> shares;         // non-decreasing, in (0, 1): its share of right answers there

  bool is_none() const { return temperatures.empty(); }
  /// The share of right answers at a raw probability: linear between the points, from (0, 0) up to
  /// the first, and constant from the last one on. Non-decreasing.
  double share_of(double probability) const;
};

/// What is wrong with a calibration that came from a file; null: nothing.
const char* validation_error(const Calibration& calibration);

}  // namespace cane
