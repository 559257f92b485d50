// The feature scales of RowScaling, computed in one pass over the data.
#pragma once

#include <vector>

#include "data/rows/dataset_view.h"

namespace cane {

/// One over the largest absolute value of each feature; 0 for a feature that no example has.
std::vector<float> feature_scales(const DatasetView& data);

}  // namespace cane
