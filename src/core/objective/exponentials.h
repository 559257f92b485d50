// Numerics shared by the objectives: sums of exponentials relative to the largest, and the two
// logistic functions. None of them overflows or loses digits, however large the scores. Host and
// device.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/base/host_device.h"
#include "core/objective/lanes.h"

namespace cane {

/// log(e^a + e^b); minus infinity represents an empty sum.
CANE_HOST_DEVICE inline float log_add_exp(float a, float b) {
  const float high = a > b ? a : b;
  const float low = a > b ? b : a;
  if (low == -std::numeric_limits<float>::infinity()) return high;
  return high + std::log1p(std::exp(low - high));
}

/// A sum of exponentials: the sum of e^value is sum * e^high, with sum between 1 and the count.
struct ExponentialSum {
  float high;
  float sum;
};

/// Replaces each of the values from `begin` to `end` by e^(value - high), high being the largest;
/// by zeros if all are minus infinity.
template <typename Lanes = SerialLanes>
CANE_HOST_DEVICE ExponentialSum exponentiate(float* values, std::uint32_t end,
                                             const Lanes& lanes = {}, std::uint32_t begin = 0) {
  constexpr float kNothing = -std::numeric_limits<float>::infinity();
  float high = kNothing;
  for (std::uint32_t i = lanes.from(begin); i < end; i += lanes.stride()) {
    high = values[i] > high ? values[i] : high;
  }
  high = lanes.max(high);
  float sum = 0.0F;
  for (std::uint32_t i = lanes.from(begin); i < end; i += lanes.stride()) {
    values[i] = high == kNothing ? 0.0F : std::exp(values[i] - high);
    sum += values[i];
  }
  return {high, lanes.sum(sum)};
}

/// Replaces logits by d loss / d logit of the softmax, loss = -log p(label), and returns the loss.
template <typename Lanes = SerialLanes>
CANE_HOST_DEVICE float softmax_loss(float* logits, std::uint32_t count, std::uint32_t label_at,
                                    const Lanes& lanes = {}) {
  // Only its owner reads the label's logit, which is about to be replaced.
  const float label_logit = lanes.sum(lanes.owns(label_at) ? logits[label_at] : 0.0F);
  const ExponentialSum total = exponentiate(logits, count, lanes);
  const float scale = 1.0F / total.sum;
  for (std::uint32_t i = lanes.from(0); i < count; i += lanes.stride()) logits[i] *= scale;
  if (lanes.owns(label_at)) logits[label_at] -= 1.0F;
  return std::log(total.sum) - (label_logit - total.high);
}

/// log(1 + e^x), which is -log(1 - sigmoid(x)), and -log sigmoid(-x).
template <typename Real>
CANE_HOST_DEVICE Real softplus(Real x) {
  return (x > Real{0} ? x : Real{0}) + std::log1p(std::exp(-std::fabs(x)));
}

/// 1 / (1 + e^-x)
CANE_HOST_DEVICE inline float sigmoid(float x) {
  const float small = std::exp(-std::fabs(x));
  return (x > 0.0F ? 1.0F : small) / (1.0F + small);
}

}  // namespace cane
