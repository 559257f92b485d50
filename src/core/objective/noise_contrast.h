// Noise-contrastive estimation (Gutmann and Hyvarinen 2010) and, without the shift, negative
// sampling (Mikolov et al. 2013): logistic regression that tells the label from k noises. With t_i
// the logit of a class, s_i - log(k q_i) or just s_i, the loss is
//   -log sigmoid(t_y) - sum over the noises of log(1 - sigmoid(t_j)),
// a sum over the noises, not a mean. The shortlist has one candidate, the label, and at least one
// noise.
//
// Noises must be drawn from q with nothing excluded, so that a noise may be the label, and
// label_log_q is log q(y) under that same law. Class c then is a label with probability p_c and k
// q_c times a noise, and the optimum is s_c = log p_c with the shift: not only the log-odds, the
// scores come out normalised. Without the shift it is log p_c - log(k q_c). With the label excluded
// a class would be a noise at a rate that depends on the unknown p, and no shift makes up for it.
#pragma once

#include <cassert>

#include "core/objective/exponentials.h"
#include "core/objective/shortlist.h"

namespace cane {

/// Without the shift, log q is not read.
template <bool shift>
struct LogisticContrast {
  template <typename Lanes = SerialLanes>
  CANE_HOST_DEVICE float operator()(const Shortlist& shortlist, const float* scores,
                                    float* gradient, const Lanes& lanes = {}) const {
    assert(shortlist.candidates == 1 && shortlist.noises > 0 && shortlist.label_at == 0);
    const float log_count = shift ? std::log(static_cast<float>(shortlist.drawn())) : 0.0F;
    float loss = 0.0F;
    if (lanes.owns(0)) {
      const float logit = scores[0] - (shift ? log_count + shortlist.label_log_q : 0.0F);
      loss = softplus(-logit);
      gradient[0] = -sigmoid(-logit);
    }
    for (std::uint32_t j = lanes.from(1); j < shortlist.size(); j += lanes.stride()) {
      const float logit = scores[j] - (shift ? log_count + shortlist.log_q[j - 1] : 0.0F);
      loss += softplus(logit);
      gradient[j] = sigmoid(logit);
    }
    return lanes.sum(loss);
  }
};

using NoiseContrast = LogisticContrast<true>;
using NegativeSampling = LogisticContrast<false>;

}  // namespace cane
