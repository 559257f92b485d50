// Rejects options that no training run can work with, before any work is done.
#pragma once

#include "cane/config.h"

namespace cane {

/// Throws Error naming the option.
void check_config(const TrainConfig& config);

}  // namespace cane
