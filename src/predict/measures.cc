#include "predict/measures.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
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

std::vector<ClassMeasures> class_measures(std::span<const Outcome> outcomes, std::size_t classes) {
  std::vector<ClassMeasures> measures(classes);
  for (const Outcome& outcome : outcomes) {
    ++measures[outcome.answer].predicted;
    if (outcome.label == kUnknownClass) continue;
    ++measures[outcome.label].support;
    if (outcome.correct()) ++measures[outcome.label].correct;
  }
  return measures;
}

double macro_f1(std::span<const ClassMeasures> classes) {
  double sum = 0.0;
  std::uint64_t occurring = 0;
  for (const ClassMeasures& one : classes) {
    if (one.support + one.predicted == 0) continue;
    sum += one.f1();
    ++occurring;
  }
  return occurring == 0 ? 0.0 : sum / static_cast<double>(occurring);
}

double weighted_f1(std::span<const ClassMeasures> classes) {
  double sum = 0.0;
  double weights = 0.0;
  for (const ClassMeasures& one : classes) {
    sum += static_cast<double>(one.support) * one.f1();
    weights += static_cast<double>(one.support);
  }
  return weights == 0.0 ? 0.0 : sum / weights;
}

std::vector<ConfusedPair> confused_pairs(std::span<const Outcome> outcomes) {
  std::vector<std::uint64_t> errors;  // label and answer of each
  for (const Outcome& outcome : outcomes) {
    if (outcome.correct() || outcome.label == kUnknownClass) continue;
    errors.push_back(std::uint64_t{outcome.label} << 32 | outcome.answer);
  }
  std::sort(errors.begin(), errors.end());
  std::vector<ConfusedPair> pairs;
  for (const std::uint64_t error : errors) {
    const auto label = static_cast<ClassId>(error >> 32);
    const auto answer = static_cast<ClassId>(error);
    if (pairs.empty() || pairs.back().label != label || pairs.back().answer != answer) {
      pairs.push_back({.label = label, .answer = answer});
    }
    ++pairs.back().times;
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.times > b.times; });
  return pairs;
}

void add_most_confused(std::span<const ConfusedPair> pairs, std::span<ClassMeasures> classes) {
  for (const ConfusedPair& pair : pairs) {
    ClassMeasures& one = classes[pair.label];
    if (one.confused > 0) continue;  // pairs are sorted: the first is the most frequent
    one.confused_with = pair.answer;
    one.confused = pair.times;
  }
}

namespace {

RiskPoint point_of(double least_probability, std::size_t answered, std::size_t errors,
                   std::size_t examples) {
  const auto share = [](std::size_t part, std::size_t all) {
    return static_cast<double>(part) / static_cast<double>(std::max<std::size_t>(all, 1));
  };
  return {least_probability, share(answered, examples), share(errors, answered)};
}

}  // namespace

RiskPoint risk_at(std::span<const Outcome> outcomes, float least_probability) {
  std::size_t answered = 0;
  std::size_t errors = 0;
  for (const Outcome& outcome : outcomes) {
    if (!(outcome.probability >= least_probability)) continue;
    ++answered;
    errors += outcome.correct() ? 0 : 1;
  }
  return point_of(static_cast<double>(least_probability), answered, errors, outcomes.size());
}

std::vector<RiskPoint> risk_curve(std::span<const Outcome> outcomes) {
  struct Answer {
    float probability;
    bool correct;
  };
  std::vector<Answer> answers;
  answers.reserve(outcomes.size());
  for (const Outcome& outcome : outcomes) {
    // NaN cannot be sorted; no answer is less sure.
    answers.push_back({std::max(0.0F, outcome.probability), outcome.correct()});
  }
  std::sort(answers.begin(), answers.end(),
            [](const Answer& a, const Answer& b) { return a.probability > b.probability; });
  std::vector<RiskPoint> points;
  const std::size_t step = (answers.size() + kRiskPoints - 2) / (kRiskPoints - 1);
  std::size_t errors = 0;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    errors += answers[i].correct ? 0 : 1;
    // Equal probabilities are answered together.
    const bool is_last = i + 1 == answers.size();
    if (!is_last && answers[i + 1].probability == answers[i].probability) continue;
    if (!is_last && i + 1 < shown + step) continue;
    shown = i + 1;
    points.push_back(
        point_of(static_cast<double>(answers[i].probability), i + 1, errors, answers.size()));
  }
  return points;
}

}  // namespace cane
