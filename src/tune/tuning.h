// The search for the options of a training: a grid as in the paper, or successive halving, within a
// budget of trials or seconds.
#pragma once

#include "cane/tune.h"

namespace cane {

/// The options have been checked. Throws Error when every trial failed.
TuneResult run_tuning(const Dataset& data, const TrainConfig& config, const TuneOptions& options,
                      TuneObserver& observer);

}  // namespace cane
