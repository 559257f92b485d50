// The weights of a model in tables with more classes. What was learned keeps its scores; a new
// class begins as a copy of the one whose sibling it becomes.
#pragma once

#include <span>
#include <vector>

#include "core/tree/insert_leaves.h"
#include "model/model_data.h"

namespace cane {

/// `weights` are all zero and fit the tables of `grown`. Class K + i of `grown` begins as class
/// `siblings[i]` of `model`, K being its classes. `tree` says how the tree has grown; it is not
/// read where the method has none. Not for online trees.
void grow_weights(const ModelData& model, const ModelData& grown, const GrownTree& tree,
                  std::span<const ClassId> siblings, std::vector<AlignedBuffer<float>>& weights);

}  // namespace cane
