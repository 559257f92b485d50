// A learning rate that fits the scale of the features, for those who do not give one: an update on
// an example changes the score of a class on the same example by rate * (|x|^2 + 1) times its
// gradient, so the rate is a constant over the mean of that. The constant depends on the method.
#pragma once

#include <cstdint>

#include "cane/config.h"
#include "data/rows/dataset_view.h"

namespace cane {

/// For options with nothing left to be chosen but the rate.
float automatic_rate(const DatasetView& data, const TrainConfig& config, std::uint32_t classes);

/// What that rate is multiplied with once the start is known. Where the class means alone leave
/// little of the loss of a blind guess, the weights begin near where they end: large steps would
/// first lead away from there.
float rate_factor(const TrainConfig& config, double loss_share);

}  // namespace cane
