// Sets up a training whose classes are shared out among ranks, either with a new model or from a
// checkpoint.
#pragma once

#include <cstdint>

#include "cane/dataset.h"
#include "cane/train.h"
#include "core/base/thread_pool.h"
#include "core/parallel/communicator.h"
#include "train/classes/sharded_file.h"

namespace cane {

/// All ranks call these, with all of the data each. The options must be those of
/// options_for_classes. `validates`: the best weights will be kept as well. Throws Error if a rank
/// has too little memory.
ShardedCheckpoint start_class_training(const Dataset& data, const TrainConfig& config,
                                       bool validates, ThreadPool& pool, TrainObserver& observer,
                                       Communicator& ranks);
/// Throws Error if the checkpoint belongs to other data or options.
ShardedCheckpoint resume_class_training(const Dataset& data, const TrainConfig& config,
                                        std::uint64_t data_print, TrainObserver& observer,
                                        const Communicator& ranks);

}  // namespace cane
