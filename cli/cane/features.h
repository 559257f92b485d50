// Features chosen by measurement, for the verbs that train.
#pragma once

#include <string>

#include "cane/config.h"
#include "cane/data_options.h"
#include "cli/cane/train_options.h"

namespace cane::cli {

/// The options with the features filled in that the user left open (see cane/features.h). Unless
/// `quiet`, what was measured goes to stderr.
DataOptions with_chosen_features(const std::string& path, const DataOptions& data,
                                 const TrainConfig& config, bool quiet,
                                 const Ranks& ranks = Ranks());

/// The same for `cane tune`: a wider search, which may also pick an encoder.
void search_features(TrainOptions& train);

}  // namespace cane::cli
