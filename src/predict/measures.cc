#include "predict/measures.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <vector>

namespace cane {
namespace {

struct Tally {
  std::uint64_t examples = 0;
  std::uint64_t correct = 0;

  void add(bool right) {
    ++examples;
    correct += right ? 1 : 0;
  }
  double accuracy() const { return static_cast<double>(correct) / static_cast<double>(examples); }
};

// The argument order matters: NaN becomes 0.
double within_zero_and_one(float probability) {
  return std::min(1.0, std::max(0.0, static_cast<double>(probability)));
}

}  // namespace

double calibration_error(std::span<const Outcome> outcomes) {
  if (outcomes.empty()) return 0.0;
  // Only the difference per bin matters: |accuracy - mean probability| x examples equals |correct
  // predictions - sum of probabilities|.
  std::array<double, kCalibrationBins> excess = {};
  for (const Outcome& outcome : outcomes) {
    const double probability = within_zero_and_one(outcome.probability);
    const auto bin = static_cast<std::size_t>(probability * kCalibrationBins);
    excess[std::min<std::size_t>(bin, kCalibrationBins - 1)] +=
        probability - (outcome.correct ? 1.0 : 0.0);
  }
  double sum = 0.0;
  for (const double value : excess) sum += std::abs(value);
  return sum / static_cast<double>(outcomes.size());
}

double macro_accuracy(std::span<const Outcome> outcomes, std::size_t classes) {
  std::vector<Tally> tallies(classes);
  for (const Outcome& outcome : outcomes) {
    if (outcome.label == kUnknownClass) continue;
    assert(outcome.label < classes);
    tallies[outcome.label].add(outcome.correct);
  }
  double sum = 0.0;
  std::uint64_t occurring = 0;
  for (const Tally& tally : tallies) {
    if (tally.examples == 0) continue;
    sum += tally.accuracy();
    ++occurring;
  }
  return occurring == 0 ? 0.0 : sum / static_cast<double>(occurring);
}

FrequencyGroups frequency_groups(std::span<const Outcome> outcomes,
                                 std::span<const std::uint64_t> class_counts) {
  const auto group_of = [](std::uint64_t count) -> std::size_t {
    if (count > kHeadAbove) return 0;
    return count < kTailBelow ? 2 : 1;
  };
  std::array<std::uint64_t, 3> classes = {};
  for (const std::uint64_t count : class_counts) ++classes[group_of(count)];
  std::array<Tally, 3> tallies;
  for (const Outcome& outcome : outcomes) {
    if (outcome.label == kUnknownClass) continue;
    assert(outcome.label < class_counts.size());
    tallies[group_of(class_counts[outcome.label])].add(outcome.correct);
  }
  const auto group = [&](std::size_t which) {
    GroupAccuracy result = {{}, tallies[which].examples, classes[which]};
    if (result.examples > 0) result.accuracy = tallies[which].accuracy();
    return result;
  };
  return {group(0), group(1), group(2)};
}

}  // namespace cane
