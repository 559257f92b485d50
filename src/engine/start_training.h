// Sets up training, either with a new model or from a checkpoint. For starting from a finished
// model, see engine/continue_training.h.
#pragma once

#include "cane/dataset.h"
#include "cane/train.h"
#include "core/parallel/run_context.h"
#include "engine/start_source.h"
#include "train/checkpoint/checkpoint.h"

namespace cane {

/// Makes a new model and its initial weights, from the tree and the class means of `source`, to be
/// trained on `data`. With `validation` the best weights will be kept as well. `shares_classes`:
/// each rank gets the weights of its shards only; all ranks call it, with all of the data each.
/// Throws Error if there is not enough memory.
Checkpoint start_training(StartSource& source, const Dataset& data, const TrainConfig& config,
                          const Dataset* validation, bool shares_classes,
                          const RunContext& context);

/// Reads the checkpoint named in the options. Throws Error if it belongs to other data or options.
Checkpoint resume_training(const Dataset& data, const TrainConfig& config,
                           const DataPrint& data_print, bool shares_classes,
                           const RunContext& context);

}  // namespace cane
