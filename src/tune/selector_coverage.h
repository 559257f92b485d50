// How many of the labels the search of a setting finds among all classes before any step, when the
// weights are the class means. The order of selectors by it is that after training.
#pragma once

#include "cane/config.h"
#include "cane/dataset.h"
#include "core/base/thread_pool.h"
#include "engine/start_source.h"

namespace cane {

/// The share of the examples whose label is among the best few classes of the search. `config` must
/// be resolved. The examples should not be part of the source's data.
double selector_coverage(StartSource& source, const Dataset& examples, const TrainConfig& config,
                         ThreadPool& pool);

}  // namespace cane
