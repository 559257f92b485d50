// Training of a finished model continued on other data, whose labels may be more. What was learned
// is where it begins; a class that is new begins as a copy of the one its examples are taken for.
#pragma once

#include "cane/dataset.h"
#include "cane/model.h"
#include "cane/train.h"
#include "core/base/thread_pool.h"
#include "train/checkpoint.h"

namespace cane {

/// `data` has been read through the model, with add_labels. Throws Error if it has not, if the
/// options ask for another model, and for online trees.
Checkpoint continue_from(const Model& model, const Dataset& data, const TrainConfig& config,
                         ThreadPool& pool, TrainObserver& observer);

}  // namespace cane
