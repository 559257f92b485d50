// For one example the classes that count: first the candidates, then the noises, each noise with
// the log of the probability it was drawn with, and where the label stands among them. When the
// label is no candidate it is the only noise ("y is treated as the sampled noise in place", Eq.
// Pout).
#pragma once

#include <cstdint>

namespace cane {

struct Shortlist {
  std::uint32_t candidates = 0;
  std::uint32_t noises = 0;
  std::uint32_t label_at = 0;    // index into [candidates, noises]
  const float* log_q = nullptr;  // of each noise
  std::uint32_t size() const { return candidates + noises; }
};

}  // namespace cane
