// Class means as initial weights: s_k = x . mu_k - |mu_k|^2 / 2, the nearest-centre classifier. In
// a tree the edges telescope: the score of a node is that of the mean of the classes below it minus
// that of the mean of all classes. So the first beam is already a search for the nearest centre,
// and path sums are the scores of the classes up to a common constant. A softmax also needs a
// scale, how much more likely the nearer centre is, and where classes are not equally frequent the
// log of their frequencies.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/row_view.h"
#include "core/tree/class_tree.h"
#include "linear/scorers/class_scorer.h"
#include "linear/weights/block_layout.h"

namespace cane {

/// Both functions set `weights`, which must be zero, from the centre of every class.
void set_flat_means(std::span<const RowView> centres, const BlockLayout& layout, float* weights);
void set_tree_means(std::span<const RowView> centres, const ClassTree& tree,
                    const BlockLayout& layout, float* weights);

/// Adds the log of the frequency of every class to its score. `counts`: the weight of its examples;
/// a class without any counts as half an example.
void add_flat_frequencies(std::span<const double> counts, const BlockLayout& layout,
                          float* weights);
void add_tree_frequencies(std::span<const double> counts, const ClassTree& tree,
                          const BlockLayout& layout, float* weights);

struct BestScale {
  float scale = 0.0F;
  bool with_frequencies = false;  // the log frequencies are added to the scaled scores
  double loss_share = 1.0;        // loss at that scale, relative to a blind guess
};

/// Finds the scale with the least exact loss on these examples, for a model whose scores are
/// multiplied by it, and whether it pays to add the log of the frequencies. `own_changes` is added
/// to the score of each example's own class: it makes up for the example's part in the mean
/// (train/start/leave_one_out.h). `hierarchical`: the scores will be normalised at every node of a
/// tree, which the sums along the paths only approximate, so a smaller scale is taken that is
/// nearly as good. There must be an example.
BestScale best_scale(const ClassScorer& scorer, std::span<const RowView> rows,
                     std::span<const ClassId> labels, std::span<const float> own_changes,
                     std::span<const double> counts, bool hierarchical);

/// Number of examples to pass to best_scale for this many classes: enough, at a bounded cost.
std::size_t best_scale_sample(std::uint32_t classes);

}  // namespace cane
