// The objective of the softmax (Eq. softmax), as a loss to be minimised: log of the sum of e^s over
// all classes, less s_y. The shortlist holds every class as a candidate and no noise.
#pragma once

#include <cassert>

#include "core/objective/exponentials.h"
#include "core/objective/shortlist.h"

namespace cane {

struct Softmax {
  template <typename Lanes = SerialLanes>
  CANE_HOST_DEVICE float operator()(const Shortlist& shortlist, const float* scores,
                                    float* gradient, const Lanes& lanes = {}) const {
    assert(shortlist.candidates > 0 && shortlist.noises == 0);
    for (std::uint32_t k = lanes.from(0); k < shortlist.candidates; k += lanes.stride()) {
      gradient[k] = scores[k];
    }
    return softmax_loss(gradient, shortlist.candidates, shortlist.label_at, lanes);
  }
};

}  // namespace cane
