#include "cli/cane/compare/columns.h"

#include <utility>

#include "cli/cane/measures.h"
#include "core/base/memory.h"

namespace cane::cli {
namespace {

using Column = std::pair<ReportColumn, std::optional<double>>;

std::string seconds(double value) {
  return measure_text(MeasureKind::kSeconds, value);
}
std::string bytes(double value) {
  return bytes_as_text(static_cast<std::uint64_t>(value));
}

std::optional<double> as_number(std::optional<std::uint64_t> whole) {
  return whole ? std::optional<double>(*whole) : std::nullopt;
}

// Adds columns of the list of measures: those of the table or the others, of quality or of cost.
void add_measures(const std::optional<Evaluation>& test, bool in_table, bool of_quality,
                  std::vector<Column>& columns) {
  Evaluation blank;
  blank.top = {{5, 0.0}};
  for (const MeasuredNumber& number : measured_numbers(test.value_or(blank))) {
    const Measure& measure = number.measure;
    if (measure.is_in_table != in_table || number.is_quality() != of_quality) continue;
    columns.push_back(
        {{in_table, number.title, number.name, measure.help, measure.is_better_if_less,
          [kind = measure.kind](double value) { return measure_text(kind, value); }},
         test ? number.value : std::nullopt});
  }
}

std::vector<Column> columns_of(const MethodMeasures& measures) {
  std::vector<Column> columns;
  add_measures(measures.test, true, true, columns);
  columns.push_back(
      {{true, "training", "train_seconds",
        "time to train, with building the tree and the start, without measuring", true, seconds},
       measures.train_seconds});
  columns.push_back({{true, "testing", "test_seconds",
                      "time to find the best classes of all test examples", true, seconds},
                     measures.test_seconds});
  add_measures(measures.test, true, false, columns);
  columns.push_back({{true, "memory", "memory_bytes",
                      "most memory resident while the method was trained and tested, above what "
                      "was before",
                      true, bytes},
                     as_number(measures.memory_bytes)});
  columns.push_back({{true, "model", "model_bytes", "weights of the model", true, bytes},
                     as_number(measures.model_bytes)});
  add_measures(measures.test, false, true, columns);
  return columns;
}

}  // namespace

std::vector<ReportColumn> method_columns() {
  std::vector<ReportColumn> columns;
  for (auto& [column, value] : columns_of({})) columns.push_back(column);
  return columns;
}

std::vector<std::optional<double>> method_values(const MethodMeasures& measures) {
  std::vector<std::optional<double>> values;
  for (const auto& [column, value] : columns_of(measures)) values.push_back(value);
  return values;
}

}  // namespace cane::cli
