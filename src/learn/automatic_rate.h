// A learning rate that fits the scale of the features, for those who do not give one: an update on
// an example changes the score of a class on the same example by rate * (|x|^2 + 1) times its
// gradient, so the rate is a constant over the mean of that. The constant depends on the method.
#pragma once

#include <cstdint>

#include "cane/config.h"
#include "data/dataset_view.h"

namespace cane {

/// For options with nothing left to be chosen but the rate.
float automatic_rate(const DatasetView& data, const TrainConfig& config, std::uint32_t classes);

}  // namespace cane
