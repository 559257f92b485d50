#include "predict/measures.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <vector>

#include "model/calibration.h"

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

std::size_t bin_of(double probability) {
  const auto bin = static_cast<std::size_t>(probability * kCalibrationBins);
  return std::min<std::size_t>(bin, kCalibrationBins - 1);
}

}  // namespace

double calibration_error(std::span<const Outcome> outcomes) {
  if (outcomes.empty()) return 0.0;
  // Only the difference per bin matters: |accuracy - mean probability| x examples equals |correct
  // predictions - sum of probabilities|.
  std::array<double, kCalibrationBins> excess = {};
  for (const Outcome& outcome : outcomes) {
    const double probability = within_zero_and_one(outcome.probability);
    excess[bin_of(probability)] += probability - (outcome.correct() ? 1.0 : 0.0);
  }
  double sum = 0.0;
  for (const double value : excess) sum += std::abs(value);
  return sum / static_cast<double>(outcomes.size());
}

std::vector<ReliabilityBin> reliability_bins(std::span<const Outcome> outcomes) {
  std::vector<ReliabilityBin> bins(kCalibrationBins);
  std::array<Tally, kCalibrationBins> tallies;
  for (const Outcome& outcome : outcomes) {
    const double probability = within_zero_and_one(outcome.probability);
    tallies[bin_of(probability)].add(outcome.correct());
    bins[bin_of(probability)].probability += probability;
  }
  for (std::size_t i = 0; i < bins.size(); ++i) {
    bins[i].examples = tallies[i].examples;
    if (bins[i].examples == 0) continue;
    bins[i].probability /= static_cast<double>(bins[i].examples);
    bins[i].accuracy = tallies[i].accuracy();
  }
  return bins;
}

double macro_accuracy(std::span<const Outcome> outcomes, std::size_t classes) {
  std::vector<Tally> tallies(classes);
  for (const Outcome& outcome : outcomes) {
    if (outcome.label == kUnknownClass) continue;
    assert(outcome.label < classes);
    tallies[outcome.label].add(outcome.correct());
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
  std::array<std::uint64_t, kFrequencyGroups> classes = {};
  for (const std::uint64_t count : class_counts) ++classes[frequency_group(count)];
  std::array<Tally, kFrequencyGroups> tallies;
  for (const Outcome& outcome : outcomes) {
    if (outcome.label == kUnknownClass) continue;
    assert(outcome.label < class_counts.size());
    tallies[frequency_group(class_counts[outcome.label])].add(outcome.correct());
  }
  const auto group = [&](std::size_t which) {
    GroupAccuracy result = {{}, tallies[which].examples, classes[which]};
    if (result.examples > 0) result.accuracy = tallies[which].accuracy();
    return result;
  };
  return {group(0), group(1), group(2)};
}

std::vector<FrequencyBin> frequency_bins(std::span<const Outcome> outcomes,
                                         std::span<const std::uint64_t> class_counts) {
  constexpr std::size_t kBins = 65;  // bit_width is 0 for no examples, 64 at most
  const auto bin_of_count = [](std::uint64_t count) {
    return static_cast<std::size_t>(std::bit_width(count));
  };
  std::array<std::uint64_t, kBins> classes = {};
  std::array<Tally, kBins> tallies;
  for (const std::uint64_t count : class_counts) ++classes[bin_of_count(count)];
  for (const Outcome& outcome : outcomes) {
    if (outcome.label == kUnknownClass) continue;
    tallies[bin_of_count(class_counts[outcome.label])].add(outcome.correct());
  }
  std::vector<FrequencyBin> bins;
  for (std::size_t i = 0; i < kBins; ++i) {
    if (classes[i] == 0) continue;
    const std::uint64_t least = i == 0 ? 0 : std::uint64_t{1} << (i - 1);
    bins.push_back({.least = least,
                    .most = i == 0 ? 0 : least + (least - 1),
                    .classes = classes[i],
                    .examples = tallies[i].examples,
                    .accuracy = tallies[i].examples > 0 ? tallies[i].accuracy() : 0.0});
  }
  return bins;
}

}  // namespace cane
