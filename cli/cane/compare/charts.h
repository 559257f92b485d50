// The two pictures of a comparison.
#pragma once

#include <string>

#include "cli/cane/compare/comparison.h"

namespace cane::cli {

/// Both show the accuracy on the test data after each epoch; methods that failed are left out.
std::string accuracy_by_epoch(const Comparison& comparison);
/// On a logarithmic axis when some methods take much longer than others.
std::string accuracy_by_seconds(const Comparison& comparison);

}  // namespace cane::cli
