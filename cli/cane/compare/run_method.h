// Trains and tests one method of a comparison.
#pragma once

#include <optional>
#include <vector>

#include "app/report/report.h"
#include "cane/dataset.h"
#include "cane/predict.h"
#include "cli/cane/compare/spec.h"

namespace cane::cli {

/// The measures at the points of a method's curve.
std::vector<const char*> method_curve_names();

/// The test data is measured after every epoch but never used for selection: the last weights
/// count. If a method fails, its error is in the result. A training that would take longer than
/// `limit` seconds (0: any) is stopped, and the row has its times alone, estimated from the part
/// that ran. Returns nothing if the user stopped it.
std::optional<ReportRow> run_method(const MethodSpec& spec, const Dataset& train,
                                    const Dataset& test, Probability log_loss, double limit,
                                    bool quiet);

}  // namespace cane::cli
