// What a training holds in memory, part by part, before it begins. Each part is computed from the
// sizes of what will be allocated; the peak is taken over the two phases, the start and the epochs.
#pragma once

#include "cane/train.h"
#include "data/loaded_data.h"
#include "model/model_data.h"

namespace cane {

/// All of TrainEstimate but the time. `keeps_best`: there is validation data, and the best weights
/// are kept beside the last.
TrainEstimate estimate_memory(const LoadedData& data, const ModelData& model, int threads,
                              bool keeps_best);

/// Throws Error if that is more than can be had.
void check_memory(const TrainEstimate& estimate);

}  // namespace cane
