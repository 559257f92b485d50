#include "cli/cane/compare/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

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
  return bytes_text(static_cast<std::uint64_t>(value));
}

template <double Evaluation::*member>
std::optional<double> of_test(const MethodResult& result) {
  if (!result.test) return std::nullopt;
  return (*result.test).*member;
}

std::optional<double> top_5(const MethodResult& result) {
  if (!result.test) return std::nullopt;
  return result.test->top.at(5);
}

template <GroupAccuracy Evaluation::*group>
std::optional<double> of_group(const MethodResult& result) {
  if (!result.test) return std::nullopt;
  return ((*result.test).*group).accuracy;
}

std::optional<double> calibration_error(const MethodResult& result) {
  if (!result.test) return std::nullopt;
  return result.test->calibration_error;
}

std::optional<double> train_seconds(const MethodResult& result) {
  if (!result.test) return std::nullopt;
  return result.train_seconds;
}

template <std::optional<std::uint64_t> MethodResult::*member>
std::optional<double> whole(const MethodResult& result) {
  if (!(result.*member)) return std::nullopt;
  return static_cast<double>(*(result.*member));
}

constexpr Column kColumns[] = {
    {true, "accuracy", "accuracy", "share of test examples whose label is the best class found",
     false, of_test<&Evaluation::accuracy>, percent},
    {true, "top 5", "top_5", "share whose label is among the best five", false, top_5, percent},
    {true, "log loss", "log_loss",
     "mean of -log p(label), over the test examples whose label training saw", true,
     [](const MethodResult& result) { return result.log_loss; }, four_digits},
    {true, "coverage", "coverage", "share whose label is among the candidates of the search", false,
     of_test<&Evaluation::coverage>, percent},
    {true, "training", "train_seconds",
     "time to train, with building the tree and the start, without measuring", true, train_seconds,
     duration},
    {true, "testing", "test_seconds", "time to find the best classes of all test examples", true,
     of_test<&Evaluation::seconds>, duration},
    {true, "rows", "rows_per_example", "weight vectors scored for a test example", true,
     of_test<&Evaluation::rows_per_example>, rows},
    {true, "memory", "memory_bytes",
     "most memory resident while the method was trained and tested, above what was before", true,
     whole<&MethodResult::memory_bytes>, bytes},
    {true, "model", "model_bytes", "weights of the model", true, whole<&MethodResult::model_bytes>,
     bytes},
    {false, "macro accuracy", "macro_accuracy", "mean over the classes of the accuracy on each",
     false, of_test<&Evaluation::macro_accuracy>, percent},
    {false, "head", "head_accuracy", "accuracy on classes with many training examples", false,
     of_group<&Evaluation::head>, percent},
    {false, "middle", "middle_accuracy", "accuracy on classes between head and tail", false,
     of_group<&Evaluation::middle>, percent},
    {false, "tail", "tail_accuracy", "accuracy on classes with few training examples", false,
     of_group<&Evaluation::tail>, percent},
    {false, "calibration error", "calibration_error",
     "how far the probability of the best class is from the share of right answers", true,
     calibration_error, percent},
};

}  // namespace

std::span<const Column> columns() {
  return kColumns;
}

std::vector<Column> columns_in_table(bool in_table) {
  std::vector<Column> chosen;
  for (const Column& column : kColumns) {
    if (column.in_table == in_table) chosen.push_back(column);
  }
  return chosen;
}

std::string text_of(const Column& column, const MethodResult& result) {
  const std::optional<double> value = column.value(result);
  return value ? column.text(*value) : "";
}

std::string exact_text_of(const Column& column, const MethodResult& result) {
  const std::optional<double> value = column.value(result);
  return value ? fmt::format("{}", *value) : "";
}

std::string as_table(const Comparison& comparison) {
  std::size_t name_width = std::string_view("method").size();
  for (const MethodResult& result : comparison.methods) {
    name_width = std::max(name_width, result.name.size());
  }
  const std::vector<Column> shown = columns_in_table(true);
  std::vector<std::size_t> widths;
  std::string table = fmt::format("{:<{}}", "method", name_width);
  for (const Column& column : shown) {
    std::size_t width = std::string_view(column.heading).size();
    for (const MethodResult& result : comparison.methods) {
      width = std::max(width, text_of(column, result).size());
    }
    widths.push_back(width);
    table += fmt::format("  {:>{}}", column.heading, width);
  }
  table += '\n';
  for (const MethodResult& result : comparison.methods) {
    table += fmt::format("{:<{}}", result.name, name_width);
    if (!result.error.empty()) {
      table += fmt::format("  failed: {}\n", result.error);
      continue;
    }
    for (std::size_t i = 0; i < widths.size(); ++i) {
      table += fmt::format("  {:>{}}", text_of(shown[i], result), widths[i]);
    }
    table += '\n';
  }
  return table;
}

}  // namespace cane::cli
