// Where a training begins: with a new model, or where its checkpoint left off. From a finished
// model it begins as in engine/continue_training.h.
#pragma once

#include <cstdint>

#include "cane/dataset.h"
#include "cane/train.h"
#include "core/base/thread_pool.h"
#include "train/checkpoint.h"

namespace cane {

/// A new model and its first weights. `validates`: memory for the best weights is needed, too.
/// Throws Error if the memory does not suffice.
Checkpoint start_training(const Dataset& data, const TrainConfig& config, bool validates,
                          ThreadPool& pool, TrainObserver& observer);

/// Reads the checkpoint of the options. Throws Error if it is one of other data or options.
Checkpoint resume_training(const Dataset& data, const TrainConfig& config, std::uint64_t data_print,
                           TrainObserver& observer);

}  // namespace cane
