// Options that no training can work with are refused before anything is done.
#pragma once

#include "cane/config.h"

namespace cane {

/// Throws Error, naming the option.
void check_config(const TrainConfig& config);

}  // namespace cane
