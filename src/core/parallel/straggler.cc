#include "core/parallel/straggler.h"

#include <algorithm>

namespace cane {
namespace {

// Ranks never end at the same moment: what is below both is no reason to look at a machine.
constexpr double kLeastSeconds = 1.0;
constexpr double kLeastPart = 0.2;

}  // namespace

std::optional<Straggler> find_straggler(std::span<const double> waited, double seconds) {
  const auto longest = std::max_element(waited.begin(), waited.end());
  if (longest == waited.end() || *longest < kLeastSeconds || *longest < kLeastPart * seconds) {
    return std::nullopt;
  }
  return Straggler{static_cast<int>(longest - waited.begin()), *longest};
}

}  // namespace cane
