// Copies the weights of a model into tables with more classes. Existing classes keep their scores;
// a new class begins as a copy of the class that becomes its sibling.
#pragma once

#include <span>
#include <vector>

#include "core/tree/insert_leaves.h"
#include "model/model_data.h"

namespace cane {

/// `weights` must be all zero and match the tables of `grown`. Class K + i of `grown` begins as
/// class `siblings[i]` of `model`, where K is the number of classes of `model`. `tree` describes
/// how the tree has grown; it is not read if the method has no tree. Not for online trees.
void grow_weights(const ModelData& model, const ModelData& grown, const GrownTree& tree,
                  std::span<const ClassId> siblings, std::vector<AlignedBuffer<float>>& weights);

}  // namespace cane
