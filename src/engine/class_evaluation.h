// Evaluates a model whose classes are shared out, while it is being trained: every shard finds the
// best of its own classes, by a product, and the best of these are what one process would find.
#pragma once

#include "cane/predict.h"
#include "core/base/thread_pool.h"
#include "core/parallel/communicator.h"
#include "data/rows/dataset_view.h"
#include "linear/encoders/encoder.h"
#include "train/checkpoint/checkpoint.h"

namespace cane {

/// The same on every rank. `encoder` may be null. All ranks call it.
Evaluation evaluate_shards(Checkpoint& run, const DatasetView& data, const Encoder* encoder,
                           ThreadPool& pool, Communicator& ranks);

}  // namespace cane
