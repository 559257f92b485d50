#include "cli/cane/test/charts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "app/report/heat_map.h"
#include "app/report/line_chart.h"

namespace cane::cli {
namespace {

constexpr int kMaxTicks = 10;
constexpr double kPercent = 100.0;
constexpr std::uint64_t kMinInPoint = 10;  // fewer examples say nothing about a probability
constexpr std::size_t kMaxClasses = 14;    // of a confusion matrix

Axis percent_axis() {
  return linear_axis(0.0, kPercent, kMaxTicks, 0.0, true);
}

Axis counts_axis(double low, double high) {
  constexpr double kMargin = 1.2;
  return logarithmic_axis(low / kMargin, high * kMargin);
}

}  // namespace

std::string reliability_chart(const EvaluationDetails& details) {
  ChartLine measured = {.name = "measured", .points = {}};
  for (const ReliabilityBin& bin : details.reliability) {
    if (bin.examples < kMinInPoint) continue;
    measured.points.push_back({kPercent * bin.probability, kPercent * bin.accuracy});
  }
  if (measured.points.empty()) return "";
  const ChartLine ideal = {.name = "as probable as said",
                           .points = {{0.0, 0.0}, {kPercent, kPercent}}};
  return as_svg({.title = "Right answers, by the probability of the best class",
                 .x_label = "probability that was said (%)",
                 .x = percent_axis(),
                 .y = percent_axis(),
                 .lines = {measured, ideal},
                 .shows_last = false},
                "reliability");
}

std::string risk_chart(const EvaluationDetails& details) {
  ChartLine line = {.name = "errors", .points = {}};
  double highest = 1.0;
  for (const RiskPoint& point : details.risk) {
    line.points.push_back({kPercent * point.coverage, kPercent * point.risk});
    highest = std::max(highest, kPercent * point.risk);
  }
  if (line.points.empty()) return "";
  return as_svg({.title = "Errors among the answers, if unsure ones are withheld (--reject)",
                 .x_label = "examples that are answered, the surest first (%)",
                 .x = percent_axis(),
                 .y = linear_axis(0.0, highest, kMaxTicks, 0.0, true),
                 .lines = {line}},
                "risk");
}

std::string frequency_chart(const EvaluationDetails& details) {
  ChartLine line = {.name = "accuracy", .points = {}};
  for (const FrequencyBin& bin : details.frequency) {
    if (bin.examples == 0 || bin.least == 0) continue;
    const double middle = std::sqrt(static_cast<double>(bin.least) * static_cast<double>(bin.most));
    line.points.push_back({middle, kPercent * bin.accuracy});
  }
  if (line.points.size() < 2) return "";
  return as_svg({.title = "Accuracy, by the number of training examples of the class",
                 .x_label = "training examples of the class (logarithmic)",
                 .x = counts_axis(line.points.front().x, line.points.back().x),
                 .y = percent_axis(),
                 .lines = {line}},
                "frequency");
}

std::string beam_chart(const std::vector<BeamMeasure>& beams) {
  if (beams.empty()) return "";
  ChartLine coverage = {.name = "coverage", .points = {}};
  ChartLine accuracy = {.name = "accuracy", .points = {}};
  double lowest = kPercent;
  for (const BeamMeasure& one : beams) {
    const auto beam = static_cast<double>(one.beam);
    coverage.points.push_back({beam, kPercent * one.coverage});
    accuracy.points.push_back({beam, kPercent * one.accuracy});
    lowest = std::min({lowest, coverage.points.back().y, accuracy.points.back().y});
  }
  return as_svg({.title = "What the search finds, by its beam",
                 .x_label = "classes the search looks at closely (logarithmic)",
                 .x = counts_axis(static_cast<double>(beams.front().beam),
                                  static_cast<double>(beams.back().beam)),
                 .y = linear_axis(lowest, kPercent, kMaxTicks, 0.0, true),
                 .lines = {coverage, accuracy}},
                "beam");
}

std::string confusion_chart(const EvaluationDetails& details,
                            const std::vector<std::string>& labels) {
  // The classes of the most frequent pairs, in that order.
  std::vector<std::uint32_t> chosen;
  std::map<std::uint32_t, std::size_t> places;
  for (const ConfusedPair& pair : details.confused) {
    for (const std::uint32_t class_id : {pair.label, pair.answer}) {
      if (chosen.size() == kMaxClasses || places.contains(class_id)) continue;
      places[class_id] = chosen.size();
      chosen.push_back(class_id);
    }
  }
  if (chosen.empty()) return "";
  HeatMap map = {.title = "The classes that are confused most",
                 .row_label = "label",
                 .column_label = "answer",
                 .names = {},
                 .counts = {},
                 .row_totals = {}};
  map.counts.assign(chosen.size(), std::vector<std::uint64_t>(chosen.size(), 0));
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    map.names.push_back(labels[chosen[i]]);
    map.counts[i][i] = details.classes[chosen[i]].correct;
    map.row_totals.push_back(details.classes[chosen[i]].support);
  }
  for (const ConfusedPair& pair : details.confused) {
    const auto row = places.find(pair.label);
    const auto column = places.find(pair.answer);
    if (row == places.end() || column == places.end()) continue;
    map.counts[row->second][column->second] = pair.times;
  }
  return as_svg(map, "confusion");
}

}  // namespace cane::cli
