// What `cane compare` measures of a method, as the columns of its report.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/report/report.h"
#include "cane/predict.h"

namespace cane::cli {

/// What is known of a method that went through; all is missing for one that failed.
struct MethodMeasures {
  std::optional<Evaluation> test;
  std::optional<double> log_loss;  // none: not wanted
  std::optional<double> train_seconds;
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> model_bytes;
  double setup_seconds = 0.0;  // before the first batch; in no column
};

std::vector<ReportColumn> method_columns();
/// One for each column.
std::vector<std::optional<double>> method_values(const MethodMeasures& measures);

}  // namespace cane::cli
