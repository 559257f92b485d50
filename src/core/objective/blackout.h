// BlackOut (Ji et al. 2016): with p~ the softmax of s_i - log q_i over the label and k noises, the
// loss is -log p~(y) - sum over the noises of log(1 - p~(j)). The shortlist has one candidate, the
// label, and at least one noise.
//
// Noises must be drawn from q with nothing excluded, so that a noise may be the label, and
// label_log_q is log q(y) under that same law. Given the k + 1 drawn classes, place i is the
// label's with a probability proportional to p_i / q_i. The loss is the sum over the places of the
// logistic loss of p~ against exactly that, so the optimum is the true log-odds for any k and q.
// Drawing with the label excluded is not consistent.
#pragma once

#include <cassert>
#include <limits>

#include "core/objective/exponentials.h"
#include "core/objective/shortlist.h"

namespace cane {

struct BlackOut {
  template <typename Lanes = SerialLanes>
  CANE_HOST_DEVICE float operator()(const Shortlist& shortlist, const float* scores,
                                    float* gradient, const Lanes& lanes = {}) const {
    assert(shortlist.candidates == 1 && shortlist.noises > 0 && shortlist.label_at == 0);
    const std::uint32_t size = shortlist.size();
    const float label_logit = lanes.sum(lanes.owns(0) ? scores[0] - shortlist.label_log_q : 0.0F);
    if (lanes.owns(0)) gradient[0] = label_logit;
    float top_logit = label_logit;
    for (std::uint32_t j = lanes.from(1); j < size; j += lanes.stride()) {
      gradient[j] = scores[j] - shortlist.log_q[j - 1];
      top_logit = gradient[j] > top_logit ? gradient[j] : top_logit;
    }
    top_logit = lanes.max(top_logit);

    // 1 - p~ loses all digits only at the most probable position. That position is handled
    // separately: its 1 - p~ is the share of the rest, whose exponentials are relative to their own
    // largest.
    std::uint32_t places_after_top = 0;
    for (std::uint32_t i = lanes.from(0); i < size; i += lanes.stride()) {
      if (gradient[i] < top_logit) continue;
      places_after_top = size - 1 - i;
      break;
    }
    const std::uint32_t top = size - 1 - lanes.max(places_after_top);
    if (lanes.owns(top)) gradient[top] = -std::numeric_limits<float>::infinity();
    const ExponentialSum rest = exponentiate(gradient, size, lanes);
    // Relative to the top place's logit.
    const float log_rest = (rest.high - top_logit) + std::log(rest.sum);
    const float log_all = log_add_exp(0.0F, log_rest);
    const float top_probability = std::exp(-log_all);
    const float rest_probability = std::exp(log_rest - log_all);

    float loss = 0.0F;
    float odds = 0.0F;  // sum of p~ / (1 - p~) over the noises, excluding the top position
    for (std::uint32_t j = lanes.from(1); j < size; j += lanes.stride()) {
      if (j == top) continue;
      const float probability = rest_probability * (gradient[j] / rest.sum);
      loss -= std::log1p(-probability);
      odds += probability / (1.0F - probability);
    }
    odds = lanes.sum(odds);
    const float top_is_noise = top > 0 ? 1.0F : 0.0F;
    loss =
        lanes.sum(loss) + log_all - (label_logit - top_logit) - top_is_noise * (log_rest - log_all);
    for (std::uint32_t i = lanes.from(0); i < size; i += lanes.stride()) {
      if (i == top) continue;
      const float share = gradient[i] / rest.sum;
      const float probability = rest_probability * share;
      gradient[i] = probability * (1.0F - odds) - top_is_noise * top_probability * share;
      if (i > 0) gradient[i] += probability / (1.0F - probability);
    }
    if (lanes.owns(top)) gradient[top] = top_probability * (1.0F - odds + top_is_noise);
    if (lanes.owns(0)) gradient[0] -= 1.0F;
    return loss;
  }
};

}  // namespace cane
