// The classes that take part in the loss of one example: first the candidates, then the noises,
// each noise with the log of the probability it was drawn with, and the position of the label among
// them. For CANE, a label that is not a candidate is the only noise ("y is treated as the sampled
// noise in place", Eq. Pout). For the methods that contrast the label with noises only, the label
// is the only candidate; a noise may equal the label if the method draws with nothing excluded.
//
// An objective is a functor over a shortlist, the scores of its classes, and lanes
// (core/objective/lanes.h): it writes d loss / d score for every class and returns the loss. A
// class that stands there twice gets two gradients, to be added.
//
// A noise that is shared by a batch may be a candidate or the label of some example. For that
// example its slot counts as absent: the caller sets its score to minus infinity (log q may be
// anything but minus infinity), every objective averages over drawn() noises, and its gradient is
// zero.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"

namespace cane {

struct Shortlist {
  std::uint32_t candidates = 0;
  std::uint32_t noises = 0;
  std::uint32_t label_at = 0;    // index into [candidates, noises]
  const float* log_q = nullptr;  // one per noise
  float label_log_q = 0.0F;  // of the label under the same law; NoiseContrast and BlackOut read it
  std::uint32_t absent = 0;  // noise slots that hold no noise; fewer than noises, or all 0
  // If noises are drawn only sometimes, the inverse of how often; CandidatesVsNoises reads it.
  float noise_weight = 1.0F;
  CANE_HOST_DEVICE std::uint32_t size() const { return candidates + noises; }
  /// Number of noises that are present.
  CANE_HOST_DEVICE std::uint32_t drawn() const { return noises - absent; }
};

}  // namespace cane
