// Where a training on a device gets its device from: opens it, decides whether the data is kept
// there or streamed, and makes the learner and what feeds it.
#pragma once

#include <memory>

#include "cane/train.h"
#include "core/parallel/run_context.h"
#include "data/rows/dataset_view.h"
#include "model/model_data.h"
#include "train/trainer.h"

namespace cane {

/// Throws Error, before any work is done, if the options name a device that cannot be used or, for
/// a new training, lacks what they ask for. What goes on has its options from a file.
void check_device(const TrainConfig& config, const DatasetView& data, std::uint32_t classes,
                  bool is_new);

/// What a training of this model needs of the device of its options, and whether it has it.
DeviceEstimate estimate_device(const ModelData& model, const DatasetView& data);

/// As make_trainer() (engine/make_trainer.h) promises.
std::unique_ptr<Trainer> make_device_trainer(const ModelData& model, const DatasetView& data,
                                             RowCopy* window, TrainState& state,
                                             const RunContext& context);

}  // namespace cane
