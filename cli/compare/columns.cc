#include "cli/compare/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/text.h"

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
    {"accuracy", "accuracy", "share of test examples whose label is the best class found", false,
     of_test<&Evaluation::accuracy>, percent},
    {"top 5", "top_5", "share whose label is among the best five", false, top_5, percent},
    {"log loss", "log_loss",
     "mean of -log p(label), over the test examples whose label training saw", true,
     [](const MethodResult& result) { return result.log_loss; }, four_digits},
    {"coverage", "coverage", "share whose label is among the candidates of the search", false,
     of_test<&Evaluation::coverage>, percent},
    {"training", "train_seconds",
     "time to train, with building the tree and the start, without measuring", true, train_seconds,
     duration},
    {"testing", "test_seconds", "time to find the best classes of all test examples", true,
     of_test<&Evaluation::seconds>, duration},
    {"rows", "rows_per_example", "weight vectors scored for a test example", true,
     of_test<&Evaluation::rows_per_example>, rows},
    {"memory", "memory_bytes",
     "most memory resident while the method was trained and tested, above what was before", true,
     whole<&MethodResult::memory_bytes>, bytes},
    {"model", "model_bytes", "weights of the model", true, whole<&MethodResult::model_bytes>,
     bytes},
};

}  // namespace

std::span<const Column> columns() {
  return kColumns;
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
  std::vector<std::size_t> widths;
  std::string table = fmt::format("{:<{}}", "method", name_width);
  for (const Column& column : kColumns) {
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
      table += fmt::format("  {:>{}}", text_of(kColumns[i], result), widths[i]);
    }
    table += '\n';
  }
  return table;
}

}  // namespace cane::cli
