// One vs. each (Titsias 2016): the bound -log p(y) <= sum over all rivals m of
// -log sigmoid(s_y - s_m), the sum estimated by k noises and scaled to all K - 1 rivals:
//   (K - 1) / k  sum over the noises of -log sigmoid(s_y - s_j).
// The shortlist has one candidate, the label, and at least one noise.
//
// Noises must be drawn uniformly with the label excluded; log q is not read. The expected loss is
// then the full sum for any k. Its minimum over free scores is the true log-odds, since these
// minimise the part of every pair; where the model cannot express them it is not the minimum of the
// softmax. The gradient grows with K - 1: the rate must be the smaller.
#pragma once

#include <cassert>

#include "core/objective/exponentials.h"
#include "core/objective/shortlist.h"

namespace cane {

struct OneVsEach {
  std::uint32_t classes;

  template <typename Lanes = SerialLanes>
  CANE_HOST_DEVICE float operator()(const Shortlist& shortlist, const float* scores,
                                    float* gradient, const Lanes& lanes = {}) const {
    assert(shortlist.candidates == 1 && shortlist.noises > 0 && shortlist.label_at == 0);
    const float scale = static_cast<float>(classes - 1) / static_cast<float>(shortlist.drawn());
    const float label_score = lanes.sum(lanes.owns(0) ? scores[0] : 0.0F);
    float loss = 0.0F;
    float label_gradient = 0.0F;
    for (std::uint32_t j = lanes.from(1); j < shortlist.size(); j += lanes.stride()) {
      const float lead = scores[j] - label_score;
      loss += scale * softplus(lead);
      gradient[j] = scale * sigmoid(lead);
      label_gradient -= gradient[j];
    }
    label_gradient = lanes.sum(label_gradient);
    if (lanes.owns(0)) gradient[0] = label_gradient;
    return lanes.sum(loss);
  }
};

}  // namespace cane
