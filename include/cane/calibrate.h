// Calibration: probabilities that are right as often as they say. What is learned from held-out
// examples becomes part of the model; the order of the classes stays as it was.
//
// The scores of an example are divided by a temperature, one for each group of its best class
// (head, middle, tail) that has enough examples to learn it from. Then a non-decreasing function,
// learned by isotonic regression, takes the probability of the best class to the share of right
// answers, and the others share what is left in proportion. docs/mathematics.md has the formulas.
#pragma once

#include <array>
#include <cstdint>

#include "cane/config.h"
#include "cane/dataset.h"
#include "cane/model.h"

namespace cane {

/// As in PredictOptions: predict with the same ones.
struct CalibrateOptions {
  std::uint32_t beam = 0;
  Probability probability = Probability::kAuto;
  std::uint32_t noises = 64;
  int threads = 0;
};

struct GroupTemperature {
  double temperature = 1.0;    // above 1: the scores were too sure
  std::uint64_t examples = 0;  // whose best class is in the group
  bool is_own = false;         // false: too few examples, it has the temperature of all together
};

struct CalibrateResult {
  Model model;
  std::array<GroupTemperature, 3> groups;  // head, middle, tail
  std::uint64_t examples = 0;              // of known label
  double error_before = 0.0;               // expected calibration error on the data itself,
  double error_after = 0.0;                // which is too optimistic: measure on other data
};

/// Fewer examples teach nothing.
inline constexpr std::uint64_t kLeastToCalibrate = 50;

/// `data` must have been read through the model's labels and features, and must not have been
/// trained on. An earlier calibration is replaced. Throws Error if the model has no probabilities
/// or the data too few examples.
CalibrateResult calibrate(const Model& model, const Dataset& data,
                          const CalibrateOptions& options = {});

}  // namespace cane
