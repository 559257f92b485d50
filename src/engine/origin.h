// Where a trained model comes from: date, data and the user's note.
#pragma once

#include "cane/model.h"
#include "data/loaded_data.h"

namespace cane {

/// Reads the files of the data once more, for their checksum.
Origin origin_of(const LoadedData& data, const TrainConfig& config);

}  // namespace cane
