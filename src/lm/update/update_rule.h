// Update rules for a single weight: SGD, AdaGrad, Adam. Host and device.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/host_device.h"

namespace cane::lm {

enum class UpdateRule { kSgd, kAdagrad, kAdam };

inline constexpr float kAdamFirstDecay = 0.9F;
inline constexpr float kAdamSecondDecay = 0.999F;
inline constexpr float kAdamEpsilon = 1e-8F;
inline constexpr float kAdagradEpsilon = 1e-10F;

/// The values that are the same for all weights in a step.
struct StepNumbers {
  float rate = 0.0F;         // Adam: divided by the bias of the first moment
  float scale = 1.0F;        // factor on the gradients
  float second_root = 1.0F;  // Adam: root of the bias of the second moment
};

/// Adam's moments start at zero; after `step` + 1 steps they are biased by a factor of 1 -
/// decay^(step + 1), which is corrected here. `square_sum` is the sum of squares of all gradients;
/// a `clip` of 0 does not bound it.
CANE_HOST_DEVICE inline StepNumbers step_numbers(UpdateRule rule, float rate, std::int64_t step,
                                                 float clip, double square_sum) {
  StepNumbers numbers;
  numbers.rate = rate;
  if (clip > 0.0F) {
    constexpr float kTiny = 1e-6F;
    const float share = clip / (static_cast<float>(std::sqrt(square_sum)) + kTiny);
    // Written so that a NaN gradient stays NaN and is noticed.
    numbers.scale = share > 1.0F ? 1.0F : share;
  }
  if (rule == UpdateRule::kAdam) {
    const auto steps = static_cast<float>(step) + 1.0F;
    numbers.rate = rate / (1.0F - std::pow(kAdamFirstDecay, steps));
    numbers.second_root = std::sqrt(1.0F - std::pow(kAdamSecondDecay, steps));
  }
  return numbers;
}

/// `first` and `second` are read and written only by rules that have them.
template <UpdateRule kRule>
CANE_HOST_DEVICE inline void update_number(const StepNumbers& step, float gradient, float& value,
                                           float* first, float* second) {
  gradient *= step.scale;
  if constexpr (kRule == UpdateRule::kSgd) {
    value -= step.rate * gradient;
  } else if constexpr (kRule == UpdateRule::kAdagrad) {
    *second += gradient * gradient;
    value -= step.rate * gradient / (std::sqrt(*second) + kAdagradEpsilon);
  } else {
    *first += (1.0F - kAdamFirstDecay) * (gradient - *first);
    *second = kAdamSecondDecay * *second + (1.0F - kAdamSecondDecay) * gradient * gradient;
    value -= step.rate * *first / (std::sqrt(*second) / step.second_root + kAdamEpsilon);
  }
}

}  // namespace cane::lm
