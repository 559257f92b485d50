// Measures on this machine what a training on several ranks is made of, and adds up what it costs.
#pragma once

#include "cane/train.h"

namespace cane {

/// Each rank has all weights. Throws Error if they do not fit this machine, and OptionError if
/// ranks cannot share such a training. The options must have been checked.
RankEstimate estimate_by_data(const Dataset& data, const TrainConfig& asked,
                              const Cluster& cluster);

/// Each rank has a part of the classes. As above.
RankEstimate estimate_by_classes(const Dataset& data, const TrainConfig& asked,
                                 const Cluster& cluster);

}  // namespace cane
