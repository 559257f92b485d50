// `cane train --dry-run`: prints what the training would need; writes no files.
#pragma once

#include "cane/config.h"
#include "cane/dataset.h"
#include "cane/train.h"

namespace cane::cli {

/// Returns the exit code. `validation` may be null.
int dry_run(const Dataset& data, const Dataset* validation, const TrainConfig& config);

}  // namespace cane::cli
