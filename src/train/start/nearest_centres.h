// Class means as weights: s_k = x . mu_k - |mu_k|^2 / 2, the nearest-centre classifier. In a tree
// the edges telescope: the score of every node is that of the mean of the classes below it less
// that of the mean of all classes, so the first beam is already a search for the nearest centre,
// and path sums are the scores of the classes less one number for all of them. A softmax needs a
// scale besides: how much more likely is the nearer centre?
#pragma once

#include <cstdint>
#include <span>

#include "core/base/row_view.h"
#include "core/tree/class_tree.h"
#include "linear/scorers/class_scorer.h"
#include "linear/weights/block_layout.h"

namespace cane {

/// Both set `weights`, all zero before, from the centre of every class.
void set_flat_means(std::span<const RowView> centres, const BlockLayout& layout, float* weights);
void set_tree_means(std::span<const RowView> centres, const ClassTree& tree,
                    const BlockLayout& layout, float* weights);

struct BestScale {
  float scale = 0.0F;       // a power of two
  double loss_share = 1.0;  // of the loss of a blind guess, so much is left at that scale
};

/// About the scale with the least exact loss on these examples, for a model whose scores are
/// multiplied by it.
BestScale best_scale(const ClassScorer& scorer, std::span<const RowView> rows,
                     std::span<const ClassId> labels);

/// How many examples best_scale should get of so many classes: enough, at a bounded cost.
std::size_t best_scale_sample(std::uint32_t classes);

}  // namespace cane
