// Features chosen by measurement, for the verbs that train.
#pragma once

#include <string>

#include "cane/config.h"
#include "cane/data_options.h"

namespace cane::cli {

/// The options with the features filled in that the user left open (see cane/features.h). Unless
/// `quiet`, what was measured goes to stderr.
DataOptions with_chosen_features(const std::string& path, const DataOptions& data,
                                 const TrainConfig& config, bool quiet);

}  // namespace cane::cli
