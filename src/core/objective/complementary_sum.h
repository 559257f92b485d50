// Complementary sum sampling (Botev et al. 2017): the softmax with the sum over the K - 1 rivals of
// the label estimated by k noises,
//   log(e^{s_y} + (K - 1) / k  sum over the noises of e^{s_j}) - s_y.
// The shortlist has one candidate, the label, and at least one noise.
//
// Noises must be drawn uniformly with the label excluded; log q is not read. The normaliser is
// unbiased, its logarithm is not: the optimum comes to the true log-odds only as k grows. With each
// of the K - 1 rivals as a noise once it is the softmax.
#pragma once

#include <cassert>

#include "core/objective/exponentials.h"
#include "core/objective/shortlist.h"

namespace cane {

struct ComplementarySum {
  std::uint32_t classes;

  template <typename Lanes = SerialLanes>
  CANE_HOST_DEVICE float operator()(const Shortlist& shortlist, const float* scores,
                                    float* gradient, const Lanes& lanes = {}) const {
    assert(shortlist.candidates == 1 && shortlist.noises > 0 && shortlist.label_at == 0);
    const float log_scale =
        std::log(static_cast<float>(classes - 1) / static_cast<float>(shortlist.drawn()));
    if (lanes.owns(0)) gradient[0] = scores[0];
    for (std::uint32_t j = lanes.from(1); j < shortlist.size(); j += lanes.stride()) {
      gradient[j] = scores[j] + log_scale;
    }
    return softmax_loss(gradient, shortlist.size(), 0, lanes);
  }
};

}  // namespace cane
