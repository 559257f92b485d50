// Whether the options of a stored model fit one another. resolve() makes them fit; a file may say
// anything.
#pragma once

#include "cane/config.h"

namespace cane {

/// What is wrong with them; null: nothing that scoring and searching would stumble over.
const char* validation_error(const TrainConfig& config);

}  // namespace cane
