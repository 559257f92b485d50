// A noise law that is the same for every example, restricted to the classes outside a few. A draw
// takes a step for each class excluded and a search in the cumulative masses; nothing is rejected.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/random.h"
#include "device/plain/lanes.h"

namespace cane::device {

/// Share of the noises of a proposal that is drawn uniformly, as on the CPU (search/proposal.cc).
inline constexpr double kUniformShare = 0.1;

/// The classes that are not to be drawn, ascending and distinct.
struct Excluded {
  const std::uint32_t* classes = nullptr;
  std::uint32_t count = 0;

  CANE_HOST_DEVICE bool has(std::uint32_t id) const {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (classes[i] == id) return true;
    }
    return false;
  }
};

/// The class at this position among those that are not excluded.
CANE_HOST_DEVICE inline std::uint32_t class_outside(std::uint64_t place, const Excluded& excluded) {
  auto id = static_cast<std::uint32_t>(place);
  for (std::uint32_t i = 0; i < excluded.count && excluded.classes[i] <= id; ++i) ++id;
  return id;
}

/// Masses sum to 1. Without masses the law is uniform.
struct FixedLaw {
  std::uint32_t classes = 0;
  const double* masses = nullptr;   // [classes]
  const double* through = nullptr;  // [classes] mass of the classes up to and with this one

  CANE_HOST_DEVICE double outside(const Excluded& excluded) const {
    if (masses == nullptr) return 1.0 - static_cast<double>(excluded.count) / classes;
    // Subtracting would lose all digits where the excluded hold nearly all the mass.
    double inside = 0.0;
    for (std::uint32_t i = 0; i < excluded.count; ++i) inside += masses[excluded.classes[i]];
    constexpr double kNearlyAll = 0.999999;
    if (inside < kNearlyAll) return 1.0 - inside;
    double rest = 0.0;
    std::uint32_t next = 0;
    for (std::uint32_t id = 0; id < classes; ++id) {
      if (next < excluded.count && excluded.classes[next] == id) {
        ++next;
      } else {
        rest += masses[id];
      }
    }
    return rest;
  }

  CANE_HOST_DEVICE float log_q(std::uint32_t id, double outside_mass) const {
    const double mass = masses == nullptr ? 1.0 / classes : masses[id];
    return static_cast<float>(std::log(mass) - std::log(outside_mass));
  }

  /// u is uniform in [0, 1).
  CANE_HOST_DEVICE std::uint32_t draw(const Excluded& excluded, double outside_mass,
                                      double u) const {
    if (masses == nullptr) {
      const std::uint32_t left = classes - excluded.count;
      const auto place = static_cast<std::uint32_t>(u * left);
      return class_outside(place < left ? place : left - 1, excluded);
    }
    double position = u * outside_mass;
    for (std::uint32_t i = 0; i < excluded.count; ++i) {
      const std::uint32_t id = excluded.classes[i];
      if (position < through[id] - masses[id]) break;
      position += masses[id];
    }
    std::uint32_t low = 0;
    std::uint32_t high = classes - 1;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (position < through[middle]) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    // Rounding may end at an excluded class.
    std::uint32_t id = low;
    while (id < classes && excluded.has(id)) ++id;
    if (id < classes) return id;
    id = low;
    while (excluded.has(id)) --id;
    return id;
  }
};

}  // namespace cane::device
