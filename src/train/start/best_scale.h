// The scale of the scores of class means: how much more likely the nearer centre is, and whether
// the frequencies of the classes tell something as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/row_view.h"
#include "linear/scorers/class_scorer.h"

namespace cane {

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
