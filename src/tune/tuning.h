// Searches for training options, by the paper's grid or by successive halving, within a budget of
// trials or seconds.
#pragma once

#include "cane/tune.h"

namespace cane {

/// The options must have been checked. Throws Error if every trial failed.
TuneResult run_tuning(const Dataset& data, const TrainConfig& config, const TuneOptions& options,
                      TuneObserver& observer);

}  // namespace cane
