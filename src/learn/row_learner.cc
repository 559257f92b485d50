#include "learn/row_learner.h"

#include <algorithm>
#include <cmath>

#include "kernels/adaptive_row.h"

namespace cane {
namespace {

constexpr int kMostNewtonSteps = 20;
constexpr float kNearEnough = 1e-4F;

}  // namespace

double logistic_loss(float margin) {
  const auto value = static_cast<double>(margin);
  return std::max(-value, 0.0) + std::log1p(std::exp(-std::abs(value)));
}

float logistic_pull(float margin) {
  return 1.0F / (1.0F + std::exp(margin));
}

float margin_after(float margin, float length) {
  // The root lies between margin and margin + length, and the function is increasing: Newton's
  // step, kept between what is known.
  float low = margin;
  float high = margin + length;
  float z = margin;
  for (int i = 0; i < kMostNewtonSteps; ++i) {
    const float pull = logistic_pull(z);
    const float excess = z - margin - length * pull;
    (excess > 0.0F ? high : low) = z;
    float next = z - excess / (1.0F + length * pull * (1.0F - pull));
    if (!(next >= low && next <= high)) next = 0.5F * (low + high);
    if (std::abs(next - z) <= kNearEnough * (1.0F + std::abs(z))) return next;
    z = next;
  }
  return z;
}

void RowLearner::learn(std::uint32_t number, const RowView& row, const Lesson& lesson,
                       std::vector<float>& scratch) {
  const float margin = lesson.positive ? lesson.score : -lesson.score;
  const float pull = logistic_pull(margin);
  const float g2 = pull * pull * lesson.weight;
  if (g2 == 0.0F) return;
  const FeatureId dimension = layout_->dimension();
  if (scratch.size() < row.count + std::size_t{1}) scratch.resize(row.count + std::size_t{1});
  float moved =
      adapt_row(dimension, row, g2, squares_ + std::size_t{number} * (std::size_t{dimension} + 1),
                scratch.data());
  for (const Extra& extra : lesson.extras) {
    *extra.square += g2;
    moved += 1.0F / std::sqrt(*extra.square);
  }
  const float length = lesson.rate * lesson.weight * moved;
  const float distance = (margin_after(margin, length) - margin) / moved;
  const float step = lesson.positive ? distance : -distance;
  step_row(dimension, row, step, scratch.data(), weights_ + layout_->offset(number));
  for (const Extra& extra : lesson.extras) *extra.weight += step / std::sqrt(*extra.square);
}

void RowLearner::reset(std::uint32_t number) {
  const std::size_t length = std::size_t{layout_->dimension()} + 1;
  std::fill_n(weights_ + layout_->offset(number), length, 0.0F);
  std::fill_n(squares_ + number * length, length, 0.0F);
}

}  // namespace cane
