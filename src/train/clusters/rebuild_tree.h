// Rebuilds the tree over the same classes during training, from the current class vectors instead
// of the class means of the features. The score of every class, a sum along its path, is preserved:
// inner nodes become the means of the class vectors below them, and edges the differences from node
// to node.
#pragma once

#include "core/base/thread_pool.h"
#include "model/model_data.h"
#include "train/train_state.h"

namespace cane {

/// Changes the tree, the tables, and the weights, including the best ones; optimisers of changed
/// tables restart from zero. Objects that point into any of these must be recreated. The result
/// does not depend on the number of threads.
void rebuild_tree(ModelData& model, TrainState& state, BestWeights& best, ThreadPool& pool);

}  // namespace cane
