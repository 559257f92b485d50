// The objective of CANE (Eq. obj), as a loss to be minimised. With E_j the sum of e^s over the
// candidates plus e^{s_j} / q_j, the loss of an example is the mean over its noises j of
// log E_j - s_y, and its gradient in the scores is Eq. practice1, or practice2 when the label is
// the noise. Each noise has a normaliser of its own; for one that all share see pooled_noises.h,
// where a label outside must take the place of one noise only. Without noises it is the softmax
// over the candidates: what is meant if every class is one, and in the other cases if noises are
// drawn only sometimes. What the noises change in the loss is then multiplied by the inverse of how
// often, so that the expected loss and gradient equal that of noises that are always drawn.
#pragma once

#include <cmath>
#include <limits>

#include "core/base/host_device.h"
#include "core/objective/exponentials.h"
#include "core/objective/shortlist.h"

namespace cane {

struct CandidatesVsNoises {
  /// There must be a candidate.
  template <typename Lanes = SerialLanes>
  CANE_HOST_DEVICE float operator()(const Shortlist& shortlist, const float* scores,
                                    float* gradient, const Lanes& lanes = {}) const {
    const std::uint32_t candidates = shortlist.candidates;
    const std::uint32_t label_at = shortlist.label_at;
    const float label_score = lanes.sum(lanes.owns(label_at) ? scores[label_at] : 0.0F);
    // Everything is relative to the best candidate's score.
    for (std::uint32_t k = lanes.from(0); k < candidates; k += lanes.stride()) {
      gradient[k] = scores[k];
    }
    const auto [high, candidate_sum] = exponentiate(gradient, candidates, lanes);
    const float log_candidates = std::log(candidate_sum);
    float mean_log_normalizer = log_candidates;
    float candidate_share = 1.0F;  // the mean over the noises of (sum over candidates) / E_j
    if (shortlist.noises > 0) {
      const float per_noise = 1.0F / static_cast<float>(shortlist.drawn());
      mean_log_normalizer = 0.0F;
      candidate_share = 0.0F;
      for (std::uint32_t i = lanes.from(candidates); i < shortlist.size(); i += lanes.stride()) {
        const float noise_term = (scores[i] - high) - shortlist.log_q[i - candidates];
        if (is_absent(noise_term)) {
          gradient[i] = 0.0F;
          continue;
        }
        const float log_normalizer = log_add_exp(log_candidates, noise_term);
        mean_log_normalizer += per_noise * log_normalizer;
        candidate_share += per_noise * std::exp(log_candidates - log_normalizer);
        gradient[i] = per_noise * std::exp(noise_term - log_normalizer);
      }
      mean_log_normalizer = lanes.sum(mean_log_normalizer);
      candidate_share = lanes.sum(candidate_share);
      if (shortlist.noise_weight != 1.0F) {
        const float weight = shortlist.noise_weight;
        mean_log_normalizer = log_candidates + weight * (mean_log_normalizer - log_candidates);
        candidate_share = 1.0F + weight * (candidate_share - 1.0F);
        for (std::uint32_t i = lanes.from(candidates); i < shortlist.size(); i += lanes.stride()) {
          gradient[i] *= weight;
        }
      }
    }
    const float candidate_scale = candidate_share / candidate_sum;
    for (std::uint32_t k = lanes.from(0); k < candidates; k += lanes.stride()) {
      gradient[k] *= candidate_scale;
    }
    if (lanes.owns(label_at)) gradient[label_at] -= 1.0F;
    return mean_log_normalizer - (label_score - high);
  }

 private:
  CANE_HOST_DEVICE static bool is_absent(float noise_term) {
    return noise_term == -std::numeric_limits<float>::infinity();
  }
};

}  // namespace cane
