// `cane train --dry-run`: what a training would need; writes nothing.
#pragma once

#include "cane/config.h"
#include "cane/dataset.h"

namespace cane::cli {

/// Returns the exit code.
int dry_run(const Dataset& data, const TrainConfig& config);

}  // namespace cane::cli
