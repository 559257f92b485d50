// Evaluates a model whose classes are shared out, while it is being trained. It is the search of
// the shortlists that is measured: it finds what the search of one process finds, and a little
// more.
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
