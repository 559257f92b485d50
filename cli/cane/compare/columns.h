// The measures that `cane compare` takes of a method, as the columns of its report.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/report/report.h"
#include "cane/predict.h"

namespace cane::cli {

/// Measures of a method that succeeded; all are missing for one that failed.
struct MethodMeasures {
  std::optional<Evaluation> test;
  std::optional<double> train_seconds;
  std::optional<double> test_seconds;
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> model_bytes;
  double setup_seconds = 0.0;  // before the first batch; not a column
};

std::vector<ReportColumn> method_columns();
/// One value for each column.
std::vector<std::optional<double>> method_values(const MethodMeasures& measures);

}  // namespace cane::cli
