// Trains and tests one method of a comparison.
#pragma once

#include <optional>
#include <vector>

#include "app/report/report.h"
#include "cane/dataset.h"
#include "cane/predict.h"
#include "cli/cane/compare/spec.h"

namespace cane::cli {

/// What the points of a method's curve measure.
std::vector<const char*> method_curve_names();

/// The test data is measured after every epoch and never chosen by: the last weights count. A
/// method that fails has its error in the result. None: the user asked to stop before the end.
std::optional<ReportRow> run_method(const MethodSpec& spec, const Dataset& train,
                                    const Dataset& test, Probability log_loss, bool quiet);

}  // namespace cane::cli
