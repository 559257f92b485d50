// Measures that look beyond the share of right answers: how far stated probabilities can be
// trusted, and how rare classes compare with frequent ones. Pure functions of what became of each
// example; sums are taken in the order of the examples, so that the bits depend on nothing else.
#pragma once

#include <cstdint>
#include <span>

#include "cane/predict.h"
#include "core/base/types.h"

namespace cane {

/// What became of one example.
struct Outcome {
  ClassId label = kUnknownClass;  // kUnknownClass: training never saw it
  bool correct = false;           // the best class found is the label; never with kUnknownClass
  float probability = 0.0F;       // of the best class found, where a normaliser was computed
};

/// Expected calibration error of the best class over kCalibrationBins equal bins [i/n, (i+1)/n) of
/// its probability, 1 in the last one: the mean of |accuracy - mean probability|, each bin weighted
/// by its examples. Unknown labels are errors. Rounding may lift a probability a little above 1;
/// it counts as 1, and one that is no number as 0.
double calibration_error(std::span<const Outcome> outcomes);

/// Mean of the accuracy within a class over the `classes` that occur; unknown labels play no part.
/// 0 if none occurs.
double macro_accuracy(std::span<const Outcome> outcomes, std::size_t classes);

struct FrequencyGroups {
  GroupAccuracy head;
  GroupAccuracy middle;
  GroupAccuracy tail;
};

/// By the training examples of each class, cut at kHeadAbove and kTailBelow; unknown labels are in
/// no group. Every label must be an index of `class_counts`.
FrequencyGroups frequency_groups(std::span<const Outcome> outcomes,
                                 std::span<const std::uint64_t> class_counts);

}  // namespace cane
