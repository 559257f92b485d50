// A model before its first step: all that follows from the data and the options, but the weights.
#pragma once

#include <cstdint>
#include <vector>

#include "cane/dataset.h"
#include "cane/train.h"
#include "core/base/thread_pool.h"
#include "data/rows/dataset_view.h"
#include "methods/resolve.h"
#include "model/model_data.h"

namespace cane {

/// The examples of each class. Throws Error where one has no label.
std::vector<std::uint64_t> count_examples(const Dataset& data);

/// What resolve() wants to know of the data.
DataFacts facts_of(const DatasetView& data, std::uint32_t classes);

/// Chooses what the options leave open, and builds the tree where one is needed; tells the observer
/// what and why. Throws Error where an example has no label.
ModelData describe_model(const Dataset& data, const TrainConfig& asked, ThreadPool& pool,
                         TrainObserver& observer);

}  // namespace cane
