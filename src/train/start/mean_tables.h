// Class means as weights: s_k = x . mu_k - |mu_k|^2 / 2, the nearest-centre classifier. In a tree
// the edges telescope: the score of every node is that of the mean of the classes below it less
// that of the mean of all classes, so the first beam is already a search for the nearest centre,
// and path sums are the scores of the classes less one number for all of them.
#pragma once

#include <span>

#include "core/base/row_view.h"
#include "core/tree/class_tree.h"
#include "linear/weights/block_layout.h"

namespace cane {

/// Both set `weights`, all zero before, from the centre of every class.
void set_flat_means(std::span<const RowView> centres, const BlockLayout& layout, float* weights);
void set_tree_means(std::span<const RowView> centres, const ClassTree& tree,
                    const BlockLayout& layout, float* weights);

}  // namespace cane
