// Estimates, part by part, the memory that training will use, before it starts. Each part is
// computed from the sizes of what will be allocated. The peak is the maximum over the two phases:
// initialisation and the epochs.
#pragma once

#include "cane/train.h"
#include "data/loaded_data.h"
#include "model/model_data.h"

namespace cane {

/// Fills all of TrainEstimate except times, checkpoints and the pilot. With validation data the
/// best weights are kept in addition to the last.
TrainEstimate estimate_memory(const LoadedData& data, const ModelData& model, int threads,
                              const LoadedData* validation = nullptr);

/// What a pilot takes that trains replicas of so many classes; 0: there is none. `training` is the
/// estimate of the whole.
std::uint64_t estimate_pilot(const LoadedData& data, const ModelData& model,
                             const TrainEstimate& training, std::size_t classes, int threads);

/// The same of a rank, where the classes are shared out; the rank with the most shards counts.
/// `model` is the whole one, of which only the layouts of the tables are needed.
TrainEstimate estimate_class_memory(const LoadedData& data, const ModelData& model, int threads,
                                    bool keeps_best, int ranks);

/// Throws OptionError if a number in the options, all resolved, asks by itself for more memory than
/// there is: to be called before anything of that size is made, even the layout of a table.
void check_options_fit(const TrainConfig& config, FeatureId dimension, int threads);

/// Throws Error if the estimate exceeds the available memory.
void check_memory(const TrainEstimate& estimate);

}  // namespace cane
