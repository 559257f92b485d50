#include "online/row_learner.h"

#include <algorithm>
#include <cmath>

#include "core/simd/adaptive_row.h"

namespace cane {

void RowLearner::learn(std::uint32_t number, const RowView& row, const Target& target,
                       std::vector<float>& scratch) {
  const float distance = (target.positive ? 1.0F : -1.0F) - cut(target.score);
  const float g2 = 4.0F * distance * distance * target.weight;
  if (g2 == 0.0F) return;
  const FeatureId dimension = layout_->dimension();
  if (scratch.size() < row.count + std::size_t{1}) scratch.resize(row.count + std::size_t{1});
  float moved =
      adapt_row(dimension, row, g2, squares_ + std::size_t{number} * (std::size_t{dimension} + 1),
                scratch.data());
  for (const Extra& extra : target.extras) {
    *extra.square += g2;
    moved += 1.0F / std::sqrt(*extra.square);
  }
  if (moved == 0.0F) return;
  // Fraction of the distance to the target by which the score moves.
  const float share = -std::expm1(-2.0F * target.rate * target.weight * moved);
  const float step = distance * share / moved;
  float* weights = weights_ + layout_->offset(number);
  if (target.input_steps != nullptr) {
    const float pull = step / target.rate;
    const BackTask task = {&pull, target.input_steps};
    back_block(weights, layout_->shape(number), std::span(&task, 1));
  }
  step_row(dimension, row, step, scratch.data(), weights);
  for (const Extra& extra : target.extras) *extra.weight += step / std::sqrt(*extra.square);
}

void RowLearner::reset(std::uint32_t number) {
  const std::size_t length = std::size_t{layout_->dimension()} + 1;
  std::fill_n(weights_ + layout_->offset(number), length, 0.0F);
  std::fill_n(squares_ + number * length, length, 0.0F);
}

}  // namespace cane
