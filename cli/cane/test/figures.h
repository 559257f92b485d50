// The figures of an evaluation, on the terminal and as JSON.
#pragma once

#include <string>
#include <vector>

#include "app/json.h"
#include "cane/predict.h"

namespace cane::cli {

std::string percent(double share);

/// Aligned lines for people. `labels` belong to the model.
void print_figures(const Evaluation& result, const EvaluateOptions& options,
                   const std::vector<std::string>& labels);

JsonObject figures_json(const Evaluation& result);

}  // namespace cane::cli
