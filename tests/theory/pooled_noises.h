// The counter-example to CANE: all noises of an example inside one logarithm. The loss is
// log(sum over candidates of e^s + mean over noises of e^{s_j} / q_j) - s_y, where CANE has the
// mean of a logarithm for each noise. Written out plainly and called as the objectives of the
// library are; nothing trains with it.
//
// A label outside the candidates is the only noise in Eq. Pout. With that rule, pooling moves the
// optimum away from the log-odds as soon as there are two noises. It would not if such a label took
// the place of one noise only, and the others were drawn beside it: for each draw the terms of the
// expectation then are a likelihood again, with p_j / (m q_j) for each of the m noises.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/objective/shortlist.h"

namespace cane::theory {

struct PooledNoises {
  float operator()(const Shortlist& shortlist, const float* scores, float* gradient) const {
    double normalizer = 0.0;
    for (std::uint32_t i = 0; i < shortlist.size(); ++i) {
      normalizer += std::exp(log_term(shortlist, scores, i));
    }
    for (std::uint32_t i = 0; i < shortlist.size(); ++i) {
      const double share = std::exp(log_term(shortlist, scores, i)) / normalizer;
      gradient[i] = static_cast<float>(share - (i == shortlist.label_at ? 1.0 : 0.0));
    }
    return static_cast<float>(std::log(normalizer) - double{scores[shortlist.label_at]});
  }

 private:
  static double log_term(const Shortlist& shortlist, const float* scores, std::uint32_t i) {
    if (i < shortlist.candidates) return double{scores[i]};
    const double log_q = double{shortlist.log_q[i - shortlist.candidates]};
    return double{scores[i]} - log_q - std::log(static_cast<double>(shortlist.noises));
  }
};

}  // namespace cane::theory
