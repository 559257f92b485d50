#include "predict/class_measures.h"

#include <algorithm>
#include <cstdint>

namespace cane {

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

}  // namespace cane
