// The noises of a proposal p' are drawn from p' outside the candidates, mixed with a uniform floor,
// so that every class has positive probability.
#pragma once

#include <cmath>

namespace cane {

/// Share of the noises that is drawn uniformly.
inline constexpr double kNoiseFloor = 0.1;
/// Smaller mass outside the candidates is treated as rounding error: all noises are then uniform.
inline constexpr double kMinOutsideMass = 1e-30;

/// log q of a class that p' gives `probability` outside the candidates, and the floor `uniform`.
inline float log_floored(bool has_mass, double probability, double uniform) {
  if (!has_mass) return static_cast<float>(std::log(uniform));
  return static_cast<float>(std::log((1.0 - kNoiseFloor) * probability + kNoiseFloor * uniform));
}

}  // namespace cane
