// Which rank the others wait for.
#pragma once

#include <optional>
#include <span>

namespace cane {

struct Straggler {
  int rank = 0;
  double seconds = 0.0;  // that were spent waiting for it
};

/// The rank that was waited for longest, if that took a noteworthy part of a run of so many
/// seconds. `waited` is Communicator::seconds_waited().
std::optional<Straggler> find_straggler(std::span<const double> waited, double seconds);

}  // namespace cane
