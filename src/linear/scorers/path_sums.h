// Converts between the weights of the edges of a tree and the weights of whole classes, which are
// the sums along their paths.
#pragma once

#include <span>
#include <vector>

#include "core/tree/class_tree.h"
#include "linear/weights/block_layout.h"

namespace cane {

/// Weights of all classes, one after the other, dimension + 1 floats each, the bias last.
std::vector<float> path_sums(const ClassTree& tree, const BlockLayout& layout,
                             const float* weights);

/// The inverse; `weights` must be all zero. Inner nodes become the means of the classes below them.
void set_path_sums(std::span<const float> sums, const ClassTree& tree, const BlockLayout& layout,
                   float* weights);

}  // namespace cane
