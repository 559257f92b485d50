#include "cli/cane/compare/columns.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/memory.h"
#include "core/base/words.h"

namespace cane::cli {
namespace {

std::string percent(double share) {
  return fmt::format("{:.2f}%", 100.0 * share);
}
std::string four_digits(double value) {
  return fmt::format("{:.4f}", value);
}
std::string duration(double seconds) {
  constexpr double kShort = 0.1;
  return seconds < kShort ? fmt::format("{:.1f} ms", 1e3 * seconds) : seconds_text(seconds);
}
std::string rows(double value) {
  return value < 1000.0 ? fmt::format("{:.1f}", value)
                        : count_text(static_cast<std::uint64_t>(std::llround(value)));
}
std::string bytes(double value) {
  return bytes_as_text(static_cast<std::uint64_t>(value));
}

template <double Evaluation::*member>
std::optional<double> of_test(const MethodMeasures& measures) {
  if (!measures.test) return std::nullopt;
  return (*measures.test).*member;
}

std::optional<double> top_5(const MethodMeasures& measures) {
  if (!measures.test) return std::nullopt;
  return measures.test->top.at(5);
}

template <GroupAccuracy Evaluation::*group>
std::optional<double> of_group(const MethodMeasures& measures) {
  if (!measures.test) return std::nullopt;
  return ((*measures.test).*group).accuracy;
}

std::optional<double> calibration_error(const MethodMeasures& measures) {
  if (!measures.test) return std::nullopt;
  return measures.test->calibration_error;
}

template <std::optional<std::uint64_t> MethodMeasures::*member>
std::optional<double> whole(const MethodMeasures& measures) {
  if (!(measures.*member)) return std::nullopt;
  return static_cast<double>(*(measures.*member));
}

struct Measure {
  ReportColumn column;
  std::optional<double> (*value)(const MethodMeasures& measures);
};

constexpr Measure kMeasures[] = {
    {{true, "accuracy", "accuracy", "share of test examples whose label is the best class found",
      false, percent},
     of_test<&Evaluation::accuracy>},
    {{true, "top 5", "top_5", "share whose label is among the best five", false, percent}, top_5},
    {{true, "log loss", "log_loss",
      "mean of -log p(label), over the test examples whose label training saw", true, four_digits},
     [](const MethodMeasures& measures) { return measures.log_loss; }},
    {{true, "coverage", "coverage", "share whose label is among the candidates of the search",
      false, percent},
     of_test<&Evaluation::coverage>},
    {{true, "training", "train_seconds",
      "time to train, with building the tree and the start, without measuring", true, duration},
     [](const MethodMeasures& measures) { return measures.train_seconds; }},
    {{true, "testing", "test_seconds", "time to find the best classes of all test examples", true,
      duration},
     [](const MethodMeasures& measures) { return measures.test_seconds; }},
    {{true, "rows", "rows_per_example", "weight vectors scored for a test example", true, rows},
     of_test<&Evaluation::rows_per_example>},
    {{true, "memory", "memory_bytes",
      "most memory resident while the method was trained and tested, above what was before", true,
      bytes},
     whole<&MethodMeasures::memory_bytes>},
    {{true, "model", "model_bytes", "weights of the model", true, bytes},
     whole<&MethodMeasures::model_bytes>},
    {{false, "macro accuracy", "macro_accuracy", "mean over the classes of the accuracy on each",
      false, percent},
     of_test<&Evaluation::macro_accuracy>},
    {{false, "head", "head_accuracy", "accuracy on classes with many training examples", false,
      percent},
     of_group<&Evaluation::head>},
    {{false, "middle", "middle_accuracy", "accuracy on classes between head and tail", false,
      percent},
     of_group<&Evaluation::middle>},
    {{false, "tail", "tail_accuracy", "accuracy on classes with few training examples", false,
      percent},
     of_group<&Evaluation::tail>},
    {{false, "calibration error", "calibration_error",
      "how far the probability of the best class is from the share of right answers", true,
      percent},
     calibration_error},
};

}  // namespace

std::vector<ReportColumn> method_columns() {
  std::vector<ReportColumn> columns;
  for (const Measure& measure : kMeasures) columns.push_back(measure.column);
  return columns;
}

std::vector<std::optional<double>> method_values(const MethodMeasures& measures) {
  std::vector<std::optional<double>> values;
  for (const Measure& measure : kMeasures) values.push_back(measure.value(measures));
  return values;
}

}  // namespace cane::cli
