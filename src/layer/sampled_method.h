// The methods that draw noises, by the names of the table that they share with the classifiers.
#pragma once

#include <string>

#include "methods/method_table.h"

namespace cane::layer {

/// Throws Error, which names the option and the methods that there are.
Method sampled_method(const std::string& option, const std::string& name);

}  // namespace cane::layer
