// Class means as weights: s_k = x . mu_k - |mu_k|^2 / 2, the nearest-centre classifier. In a tree
// the edges telescope: the score of every node is that of the mean of the classes below it, so the
// first beam is already a search for the nearest centre, and path sums are exactly the scores of
// the classes.
#pragma once

#include <span>

#include "base/row_view.h"
#include "model/block_layout.h"
#include "tree/class_tree.h"

namespace cane {

/// Both set `weights`, all zero before, from the centre of every class.
void set_flat_means(std::span<const RowView> centres, const BlockLayout& layout, float* weights);
void set_tree_means(std::span<const RowView> centres, const ClassTree& tree,
                    const BlockLayout& layout, float* weights);

}  // namespace cane
