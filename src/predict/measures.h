// Measures beyond accuracy: calibration of the predicted probabilities, accuracy on rare versus
// frequent classes, single classes, and withheld answers. They are pure functions of the outcome of
// each example. Sums run in example order, so results are bit-identical for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cane/predict.h"
#include "core/base/types.h"

namespace cane {

inline constexpr std::uint32_t kNotFound = 0xFFFFFFFF;

/// The outcome of one example.
struct Outcome {
  ClassId label = kUnknownClass;         // kUnknownClass: not seen in training
  std::uint32_t place = kNotFound;       // of the label among the classes found, the best at 0
  float probability = 0.0F;              // of the best class found, if a normaliser was computed
  ClassId answer = 0;                    // the best class found
  std::uint32_t wide_place = kNotFound;  // of the label in a search as wide as the largest top k
  float log_probability = 0.0F;          // of the label, if a normaliser was computed
  bool is_covered = false;               // the label is among the candidates

  bool correct() const { return place == 0; }
};

/// Expected calibration error of the best class over kCalibrationBins equal bins [i/n, (i+1)/n) of
/// its probability; the last bin includes 1. It is the mean of |accuracy - mean probability|, each
/// bin weighted by its number of examples. Unknown labels are errors. A probability that rounding
/// lifts above 1 counts as 1, and NaN counts as 0.
double calibration_error(std::span<const Outcome> outcomes);

/// The same bins, for a picture.
std::vector<ReliabilityBin> reliability_bins(std::span<const Outcome> outcomes);

/// Mean per-class accuracy over the `classes` that occur, ignoring unknown labels. Returns 0 if
/// none occurs.
double macro_accuracy(std::span<const Outcome> outcomes, std::size_t classes);

struct FrequencyGroups {
  GroupAccuracy head;
  GroupAccuracy middle;
  GroupAccuracy tail;
};

/// Groups examples by the training count of their class, split at kHeadAbove and kTailBelow.
/// Unknown labels belong to no group. Every other label must be an index into `class_counts`.
FrequencyGroups frequency_groups(std::span<const Outcome> outcomes,
                                 std::span<const std::uint64_t> class_counts);

/// The same in bins that end before the powers of two of the training count; a class without
/// training examples has a bin of its own. Bins without classes are left out.
std::vector<FrequencyBin> frequency_bins(std::span<const Outcome> outcomes,
                                         std::span<const std::uint64_t> class_counts);

/// The counts of every class. Labels not seen in training belong to no class, but their answers
/// count as predicted.
std::vector<ClassMeasures> class_measures(std::span<const Outcome> outcomes, std::size_t classes);

/// Mean F1 of the classes that occur as a label or as an answer; 0 if there are none.
double macro_f1(std::span<const ClassMeasures> classes);
/// Mean F1 weighted by support; 0 without examples.
double weighted_f1(std::span<const ClassMeasures> classes);

/// Every pair of a known label and a wrong answer, the most frequent first; then by label and
/// answer.
std::vector<ConfusedPair> confused_pairs(std::span<const Outcome> outcomes);
/// Fills in the most frequent wrong answer of every class from the sorted pairs.
void add_most_confused(std::span<const ConfusedPair> pairs, std::span<ClassMeasures> classes);

/// What is gained by withholding the answers below a probability: the share of the examples that
/// are answered (coverage) against the share of errors among these (risk). Nothing answered: no
/// risk.
RiskPoint risk_at(std::span<const Outcome> outcomes, float least_probability);

/// At most kRiskPoints points, from the surest answers to all of them, at about equal steps of
/// coverage. Each is what risk_at() says of its least probability.
inline constexpr std::size_t kRiskPoints = 100;
std::vector<RiskPoint> risk_curve(std::span<const Outcome> outcomes);

}  // namespace cane
