// Continues the training of a finished model on other data, which may have additional labels.
// Training starts from the learned weights; a new class starts as a copy of the class that its
// examples are predicted as. Where a model that began as the class means still has most of what it
// was trained on, training starts anew from the means of all classes.
#pragma once

#include "cane/dataset.h"
#include "cane/model.h"
#include "cane/train.h"
#include "core/parallel/run_context.h"
#include "train/checkpoint/checkpoint.h"

namespace cane {

/// `given` must have been read through the model, with add_labels; `data` is what is trained on
/// instead. `holds_most`: it has most of the examples of old classes, too. Throws Error if it was
/// not, if the options describe a different model, and for online trees.
Checkpoint continue_from(const Model& model, const Dataset& given, const Dataset& data,
                         const TrainConfig& config, bool holds_most, const RunContext& context);

}  // namespace cane
