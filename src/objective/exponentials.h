// What the objectives share: sums of exponentials relative to the largest, and the two logistic
// functions, none of which overflows or loses digits however large the scores are. Host and device.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/host_device.h"

namespace cane {

/// The sum of e^value over some values is sum * e^high, with sum between 1 and their number.
struct ExponentialSum {
  float high;
  float sum;
};

/// Replaces each of `count` > 0 values by e^(value - high), high being the largest.
CANE_HOST_DEVICE inline ExponentialSum exponentiate(float* values, std::uint32_t count) {
  float high = values[0];
  for (std::uint32_t i = 1; i < count; ++i) high = values[i] > high ? values[i] : high;
  float sum = 0.0F;
  for (std::uint32_t i = 0; i < count; ++i) {
    values[i] = std::exp(values[i] - high);
    sum += values[i];
  }
  return {high, sum};
}

/// Replaces logits by d loss / d logit of the softmax, loss = -log p(label), and returns the loss.
CANE_HOST_DEVICE inline float softmax_loss(float* logits, std::uint32_t count,
                                           std::uint32_t label_at) {
  const float label_logit = logits[label_at];
  const ExponentialSum total = exponentiate(logits, count);
  const float scale = 1.0F / total.sum;
  for (std::uint32_t i = 0; i < count; ++i) logits[i] *= scale;
  logits[label_at] -= 1.0F;
  return std::log(total.sum) - (label_logit - total.high);
}

/// log(1 + e^x), which is -log(1 - sigmoid(x)), and -log sigmoid(-x).
CANE_HOST_DEVICE inline float softplus(float x) {
  return (x > 0.0F ? x : 0.0F) + std::log1p(std::exp(-std::fabs(x)));
}

/// 1 / (1 + e^-x)
CANE_HOST_DEVICE inline float sigmoid(float x) {
  const float small = std::exp(-std::fabs(x));
  return (x > 0.0F ? 1.0F : small) / (1.0F + small);
}

}  // namespace cane
