// A model before its first step: everything that follows from the data and the options, except the
// weights.
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

/// Counts the examples of each class. Throws Error if an example has no label.
std::vector<std::uint64_t> count_examples(const Dataset& data);

/// Properties of the data that resolve() needs.
DataFacts facts_of(const DatasetView& data, std::uint32_t classes);

/// Resolves the options left open and builds the tree if the method needs one; reports each choice
/// and its reason to the observer. Throws Error if an example has no label.
ModelData describe_model(const Dataset& data, const TrainConfig& asked, ThreadPool& pool,
                         TrainObserver& observer);

}  // namespace cane
