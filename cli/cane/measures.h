// What an evaluation measured, on the terminal, as JSON and as columns: all of it from the list of
// measures in cane/evaluation.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/json_lines.h"
#include "cane/evaluation.h"

namespace cane::cli {

/// "93.10%"
std::string percent(double share);
/// A value as people read it.
std::string measure_text(MeasureKind kind, double value);

/// A number of an evaluation: also each top k (top_5), and each number of a group (head_accuracy).
struct MeasuredNumber {
  std::string name;
  std::string title;
  Measure measure;
  std::optional<double> value;
  const char* group = nullptr;  // title of the group

  /// Whether it says how good the answers are, not what they cost or how many they are.
  bool is_quality() const {
    return measure.kind == MeasureKind::kShare || measure.kind == MeasureKind::kNumber;
  }
};
/// In the order of the list, but for top_1, which is the accuracy.
std::vector<MeasuredNumber> measured_numbers(const Evaluation& result);

/// Aligned lines for people. `labels` belong to the model.
void print_measures(const Evaluation& result, const std::vector<std::string>& labels);

Json measures_json(const Evaluation& result);

/// A line for each measure: its title and what it is.
std::string measures_help();

}  // namespace cane::cli
