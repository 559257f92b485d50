// Trains and tests one method of a comparison.
#pragma once

#include <optional>

#include "cane/dataset.h"
#include "cane/predict.h"
#include "cli/cane/compare/comparison.h"
#include "cli/cane/compare/spec.h"

namespace cane::cli {

/// The test data is measured after every epoch and never chosen by: the last weights count. A
/// method that fails has its error in the result. None: the user asked to stop before the end.
std::optional<MethodResult> run_method(const MethodSpec& spec, const Dataset& train,
                                       const Dataset& test, Probability log_loss, bool quiet);

}  // namespace cane::cli
