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

/// Weights of one class alone, a row or the edge to its leaf: `begin`, `begin + stride` and so on,
/// one for each feature and the bias last.
struct ClassColumn {
  std::size_t table;
  std::size_t begin;
  std::size_t stride;
  std::size_t bias;  // place of the last
};
/// In the tables of classes and of a proposal. Not for online trees.
std::vector<ClassColumn> class_columns(const ModelData& model, ClassId label);

}  // namespace cane
