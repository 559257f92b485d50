// The scale of scores that begin as those of the nearest centre. A softmax needs one: how much more
// likely is the nearer centre?
#pragma once

#include <cstdint>
#include <span>

#include "linear/scorers/class_scorer.h"

namespace cane {

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
