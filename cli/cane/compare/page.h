// A comparison as one HTML page that needs nothing else: table, pictures, options, data, command.
#pragma once

#include <string>

#include "cli/cane/compare/comparison.h"

namespace cane::cli {

std::string as_page(const Comparison& comparison);

}  // namespace cane::cli
