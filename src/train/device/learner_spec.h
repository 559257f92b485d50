// Tells a learner on a device what the model is.
#pragma once

#include <cstdint>

#include "data/rows/dataset_view.h"
#include "device/learner.h"
#include "model/model_data.h"
#include "train/train_state.h"

namespace cane {

/// The table of the model that the learner has as `table`.
std::size_t index_of(const ModelData& model, device::Table table);

/// The spec of a learner that streams its batches. `columns`: most that one lists, or 0 for all
/// classes.
device::LearnerSpec learner_spec(const ModelData& model, const DatasetView& data,
                                 std::uint32_t columns);
/// The same for one that keeps all examples.
device::LearnerSpec keeping(device::LearnerSpec spec, const DatasetView& data);
/// The same with the rates of the state's tables.
device::LearnerSpec with_rates(device::LearnerSpec spec, const ModelData& model,
                               const TrainState& state);

}  // namespace cane
