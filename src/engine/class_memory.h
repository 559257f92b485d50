// Estimates the memory of a rank of a training whose classes are shared out, as
// engine/memory_estimate.h does it for one process.
#pragma once

#include "cane/train.h"
#include "data/loaded_data.h"
#include "model/model_data.h"

namespace cane {

/// `model` is the whole one, of which only the layouts of the tables are needed. The rank with the
/// most shards counts.
TrainEstimate estimate_class_memory(const LoadedData& data, const ModelData& model, int threads,
                                    bool keeps_best, int ranks);

}  // namespace cane
