// Initial weights where classes are shared out: those of train/start/start.h, made so that no rank
// holds more than its own. A rank averages the examples of its own classes, shard by shard, and the
// scale is measured on a few examples over the classes of all ranks.
#pragma once

#include "core/base/thread_pool.h"
#include "core/parallel/communicator.h"
#include "data/rows/dataset_view.h"
#include "model/model_data.h"
#include "train/classes/shard_tables.h"
#include "train/start/start.h"

namespace cane {

/// Sets the weights, which are zero, and the rate scales of the state. `model` has the options and
/// the class counts. All ranks call it.
StartReport start_shards(const DatasetView& data, const ModelData& model, const ShardTables& tables,
                         ThreadPool& pool, Communicator& ranks, TrainState& state);

}  // namespace cane
