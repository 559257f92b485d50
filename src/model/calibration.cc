#include "model/calibration.h"

#include <algorithm>
#include <cmath>

#include "cane/predict.h"

namespace cane {

std::size_t frequency_group(std::uint64_t training_examples) {
  if (training_examples > kHeadAbove) return 0;
  return training_examples < kTailBelow ? 2 : 1;
}

double Calibration::share_of(double probability) const {
  const auto above = std::upper_bound(probabilities.begin(), probabilities.end(), probability);
  if (above == probabilities.end()) return static_cast<double>(shares.back());
  const auto place = static_cast<std::size_t>(above - probabilities.begin());
  const double low = place == 0 ? 0.0 : static_cast<double>(probabilities[place - 1]);
  const double low_share = place == 0 ? 0.0 : static_cast<double>(shares[place - 1]);
  const double part = (probability - low) / (static_cast<double>(*above) - low);
  return low_share + part * (static_cast<double>(shares[place]) - low_share);
}

const char* validation_error(const Calibration& calibration) {
  if (calibration.is_none()) return nullptr;
  const auto& [temperatures, probabilities, shares] = calibration;
  const bool has_temperatures =
      temperatures.size() == kFrequencyGroups &&
      std::ranges::all_of(temperatures, [](float t) { return std::isfinite(t) && t > 0.0F; });
  if (!has_temperatures) return "its temperatures cannot be";
  if (probabilities.empty() || probabilities.size() != shares.size()) {
    return "the points of its calibration do not fit";
  }
  // Comparisons with NaN are false.
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const bool rises =
        i == 0 || (probabilities[i] > probabilities[i - 1] && shares[i] >= shares[i - 1]);
    const bool is_inside = probabilities[i] >= 0.0F && probabilities[i] <= 1.0F &&
                           shares[i] > 0.0F && shares[i] < 1.0F;
    if (!rises || !is_inside) return "the points of its calibration cannot be";
  }
  return nullptr;
}

}  // namespace cane
