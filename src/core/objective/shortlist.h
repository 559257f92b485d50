// For one example the classes that count: first the candidates, then the noises, each noise with
// the log of the probability it was drawn with, and where the label stands among them. For CANE a
// label that is no candidate is the only noise ("y is treated as the sampled noise in place", Eq.
// Pout). For the methods that set the label alone against noises, the label is the only candidate;
// a noise may be the label again where the method draws with nothing excluded.
//
// A noise that a batch shares may be a candidate or the label of some example. Its place then holds
// no noise of that example and counts as absent: the caller sets its score to minus infinity (log q
// is anything but minus infinity), every objective takes its means over drawn() noises, and its
// gradient comes out zero.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"

namespace cane {

struct Shortlist {
  std::uint32_t candidates = 0;
  std::uint32_t noises = 0;
  std::uint32_t label_at = 0;    // index into [candidates, noises]
  const float* log_q = nullptr;  // of each noise
  float label_log_q = 0.0F;  // of the label under the same law; NoiseContrast and BlackOut read it
  std::uint32_t absent = 0;  // places among the noises that hold none; fewer than noises, or all 0
  CANE_HOST_DEVICE std::uint32_t size() const { return candidates + noises; }
  /// The noises that are there.
  CANE_HOST_DEVICE std::uint32_t drawn() const { return noises - absent; }
};

}  // namespace cane
