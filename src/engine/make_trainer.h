// Makes the trainer of a model with what computes its batches: on the processor the parts of the
// method, over the tables of its own classes where ranks share them, on a device a learner and what
// feeds it.
// Nothing else asks where a training runs.
#pragma once

#include <memory>

#include "core/parallel/run_context.h"
#include "data/rows/dataset_view.h"
#include "model/model_data.h"
#include "train/classes/shard_tables.h"
#include "train/trainer.h"

namespace cane {

/// `window`: what copies the rows of nearby examples, if the data is not all in memory; may be
/// null. Ranks that train together each have all of the data. `shards`: if the classes are shared
/// out, the tables that the state has; null otherwise. All arguments must outlive the result; the
/// weights of the state must not move. Throws DeviceError if the options name a device that cannot
/// be used, or is too small.
std::unique_ptr<Trainer> make_trainer(const ModelData& model, const DatasetView& data,
                                      RowCopy* window, TrainState& state, const RunContext& context,
                                      const ShardTables* shards = nullptr);

}  // namespace cane
