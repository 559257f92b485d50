// One training whose classes are shared out among ranks, from its first epoch to its last. No rank
// holds the weights of all classes, not at the start and not at the end: the trained model is
// written to a file by all ranks, and mapped.
#pragma once

#include "cane/dataset.h"
#include "cane/train.h"

namespace cane {

/// `data` and `validation`, which may be null, are all of the data on every rank. Continues from
/// the checkpoint if the options say so. The result does not depend on the number of ranks, as long
/// as these are no more than the shards (train/classes/class_shards.h); it is the same on every
/// rank. Throws OptionError on options that cannot be trained this way. All ranks call it.
TrainResult train_by_classes(const Dataset& data, const Dataset* validation,
                             const TrainConfig& config, const Context& context);

}  // namespace cane
