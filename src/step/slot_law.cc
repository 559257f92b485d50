#include "step/slot_law.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/noise/noise_source.h"
#include "core/noise/unigram_noise.h"

namespace cane {

SlotLaw::SlotLaw(std::span<const std::uint64_t> counts, float power,
                 std::span<const ClassId> excluded)
    : log_q_(counts.size()) {
  const std::vector<double> all = power_masses(counts, power);
  std::vector<double> masses;
  for (ClassId k = 0; k < all.size(); ++k) {
    if (std::ranges::binary_search(excluded, k)) continue;
    outside_.push_back(k);
    masses.push_back(all[k]);
  }
  if (outside_.empty()) return;
  const double total = std::reduce(masses.begin(), masses.end());
  const double floor = kNoiseFloor / static_cast<double>(masses.size());
  for (std::size_t i = 0; i < masses.size(); ++i) {
    masses[i] = (1.0 - kNoiseFloor) * masses[i] / total + floor;
    log_q_[outside_[i]] = static_cast<float>(std::log(masses[i]));
  }
  table_.emplace(masses, std::reduce(masses.begin(), masses.end()));
}

}  // namespace cane
