// CANE with pooled noises, as a loss to be minimised: the candidates and all n slots of noises
// stand in one softmax, each slot lessened by log(n q),
//   log(sum over the candidates of e^s + 1/n sum over the slots of e^{s_j} / q_j) - s_y.
//
// A label that is no candidate must take the place of one of the n slots, chosen without looking at
// it, and the others are drawn beside it. Given the classes listed, the chance that slot i holds
// the label is then p_i / (n q_i): the loss is a conditional likelihood, but for a constant, so its
// optimum is the true log-odds for any candidates, q and n (docs/mathematics.md). With the label as
// the only noise, as Eq. Pout has it, pooling is not consistent for n > 1. One noise is Eq. obj;
// all classes as candidates, or all classes as slots without candidates, is the softmax.
//
// A slot whose class is a candidate of this example is dead (its score is minus infinity); n counts
// it, unless q was renormalised without it. There may be no candidates.
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/objective/exponentials.h"
#include "core/objective/shortlist.h"

namespace cane {

struct PooledNoises {
  template <typename Lanes = SerialLanes>
  CANE_HOST_DEVICE float operator()(const Shortlist& shortlist, const float* scores,
                                    float* gradient, const Lanes& lanes = {}) const {
    const std::uint32_t candidates = shortlist.candidates;
    const std::uint32_t label_at = shortlist.label_at;
    const float label_score = lanes.sum(lanes.owns(label_at) ? scores[label_at] : 0.0F);
    const float log_slots = std::log(static_cast<float>(shortlist.noises));
    for (std::uint32_t k = lanes.from(0); k < candidates; k += lanes.stride()) {
      gradient[k] = scores[k];
    }
    for (std::uint32_t i = lanes.from(candidates); i < shortlist.size(); i += lanes.stride()) {
      gradient[i] = scores[i] - shortlist.log_q[i - candidates] - log_slots;
    }
    const ExponentialSum inner = exponentiate(gradient, candidates, lanes);
    const ExponentialSum outer = exponentiate(gradient, shortlist.size(), lanes, candidates);
    const float per_inner = inner.sum > 0.0F ? 1.0F / inner.sum : 0.0F;
    const float per_outer = outer.sum > 0.0F ? 1.0F / outer.sum : 0.0F;
    // Everything is relative to the highest term.
    const float high = inner.high > outer.high ? inner.high : outer.high;
    const float log_inside = (inner.high - high) + std::log(inner.sum);
    const float log_outside = (outer.high - high) + std::log(outer.sum);
    const float log_normalizer = log_add_exp(log_inside, log_outside);
    float inside = std::exp(log_inside - log_normalizer);
    float outside = std::exp(log_outside - log_normalizer);
    float loss = log_normalizer;
    if (shortlist.noise_weight != 1.0F) {  // what the noises change counts for more
      const float weight = shortlist.noise_weight;
      loss = log_inside + weight * (log_normalizer - log_inside);
      inside = 1.0F + weight * (inside - 1.0F);
      outside *= weight;
    }
    for (std::uint32_t i = lanes.from(0); i < shortlist.size(); i += lanes.stride()) {
      gradient[i] *= i < candidates ? per_inner : per_outer;
      gradient[i] *= i < candidates ? inside : outside;
    }
    if (lanes.owns(label_at)) gradient[label_at] -= 1.0F;
    return loss - (label_score - high);
  }
};

}  // namespace cane
