// Another tree over the same classes while they learn: from the class vectors as they are now,
// where at first it was from the class means of the features. The score of every class, a sum along
// its path, is what it was: inner nodes become the means of the class vectors below them, and edges
// the differences from node to node.
#pragma once

#include "core/base/thread_pool.h"
#include "model/model_data.h"
#include "train/train_state.h"

namespace cane {

/// Changes tree, tables and weights, also the best ones; optimisers of tables that change start
/// from zero. Whoever points into any of these must be made again. The same on any number of
/// threads.
void rebuild_tree(ModelData& model, TrainState& state, BestWeights& best, ThreadPool& pool);

}  // namespace cane
