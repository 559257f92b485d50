// A model before its first step: everything that follows from the data and the options, except the
// weights.
#pragma once

#include <cstdint>

#include "cane/train.h"
#include "core/parallel/run_context.h"
#include "data/rows/dataset_view.h"
#include "engine/start_source.h"
#include "methods/resolve.h"
#include "model/model_data.h"

namespace cane {

/// Properties of the data that resolve() needs.
DataFacts facts_of(const DatasetView& data, std::uint32_t classes);

/// Resolves the options left open and takes the tree if the method needs one; reports each choice
/// and its reason to the observer.
ModelData describe_model(StartSource& source, const TrainConfig& asked, const RunContext& context);

}  // namespace cane
