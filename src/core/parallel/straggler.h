// Which rank the others wait for.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

namespace cane {

struct Straggler {
  int rank = 0;
  double seconds = 0.0;  // spent waiting for it
};

/// The rank that was waited for longest, if that took a significant part of a run of `seconds`.
/// `waited` is Communicator::seconds_waited(). Ranks never end at the same moment: a wait below
/// both limits is no reason to look at a machine.
inline std::optional<Straggler> find_straggler(std::span<const double> waited, double seconds) {
  constexpr double kMinSeconds = 1.0;
  constexpr double kMinShare = 0.2;
  const auto longest = std::ranges::max_element(waited);
  if (longest == waited.end() || *longest < kMinSeconds || *longest < kMinShare * seconds) {
    return std::nullopt;
  }
  return Straggler{static_cast<int>(longest - waited.begin()), *longest};
}

}  // namespace cane
