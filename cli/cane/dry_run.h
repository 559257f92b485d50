// `cane train --dry-run`: prints what the training would need; writes no files.
#pragma once

#include "cane/config.h"
#include "cane/dataset.h"
#include "cane/train.h"

namespace cane::cli {

/// Returns the exit code.
int dry_run(const Dataset& data, const TrainConfig& config);

}  // namespace cane::cli
