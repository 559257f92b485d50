// Checks that the options of a stored model are consistent. resolve() only produces consistent
// options, but a file may contain anything.
#pragma once

#include "cane/config.h"

namespace cane {

/// Describes what is wrong with the options; null if scoring and searching can use them safely.
const char* validation_error(const TrainConfig& config);

}  // namespace cane
