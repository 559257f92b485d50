// Update rules for a single weight: SGD, AdaGrad, Adam. Host and device.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/host_device.h"

namespace cane::kernels {

enum class UpdateRule { kSgd, kAdagrad, kAdam };

/// Hyperparameters of an update rule. Doubles, so that 1 - decay is as exact as the moments are.
struct RuleOptions {
  double first_decay = 0.9;     // Adam
  double second_decay = 0.999;  // Adam
  double epsilon = 0.0;         // Adam, AdaGrad: added to the root of the second moment
  /// Adam: whether epsilon is added before the bias of the root is corrected, as in
  /// torch.optim.SparseAdam, or after, as in torch.optim.Adam.
  bool epsilon_is_biased = false;
  double weight_decay = 0.0;  // of the weight in its gradient
};

inline constexpr double kAdamEpsilon = 1e-8;
inline constexpr double kAdagradEpsilon = 1e-10;

CANE_HOST_DEVICE inline RuleOptions default_options(UpdateRule rule) {
  RuleOptions options;
  if (rule == UpdateRule::kAdam) options.epsilon = kAdamEpsilon;
  if (rule == UpdateRule::kAdagrad) options.epsilon = kAdagradEpsilon;
  return options;
}

/// The values that are the same for all weights in a step. Without initialisers, so that it can lie
/// in the shared memory of a block.
struct StepNumbers {
  float rate;   // Adam: divided by the bias of the first moment
  float scale;  // factor on the gradients
  float weight_decay;
  float epsilon;
  float first_gain;  // Adam: 1 - the decay of the first moment
  float second_decay;
  float second_gain;
  float second_root;  // Adam: root of the bias of the second moment
};

/// Adam's moments start at zero; after `step` + 1 steps they are biased by a factor of 1 -
/// decay^(step + 1), which is corrected here. `square_sum` is the sum of squares of all gradients;
/// a `clip` of 0 does not bound it.
CANE_HOST_DEVICE inline StepNumbers step_numbers(UpdateRule rule, const RuleOptions& options,
                                                 float rate, std::int64_t step, float clip,
                                                 double square_sum) {
  StepNumbers numbers{};
  numbers.rate = rate;
  numbers.scale = 1.0F;
  numbers.weight_decay = static_cast<float>(options.weight_decay);
  numbers.epsilon = static_cast<float>(options.epsilon);
  if (clip > 0.0F) {
    constexpr float kTiny = 1e-6F;
    const float share = clip / (static_cast<float>(std::sqrt(square_sum)) + kTiny);
    // Written so that a NaN gradient stays NaN and is noticed.
    numbers.scale = share > 1.0F ? 1.0F : share;
  }
  if (rule == UpdateRule::kAdam) {
    const auto steps = static_cast<double>(step) + 1.0;
    const double root = std::sqrt(1.0 - std::pow(options.second_decay, steps));
    numbers.rate = static_cast<float>(rate / (1.0 - std::pow(options.first_decay, steps)));
    numbers.first_gain = static_cast<float>(1.0 - options.first_decay);
    numbers.second_decay = static_cast<float>(options.second_decay);
    numbers.second_gain = static_cast<float>(1.0 - options.second_decay);
    numbers.second_root = static_cast<float>(root);
    if (options.epsilon_is_biased) numbers.epsilon = static_cast<float>(options.epsilon / root);
  }
  return numbers;
}

/// `first` and `second` are read and written only by rules that have them.
template <UpdateRule kRule>
CANE_HOST_DEVICE inline void update_number(const StepNumbers& step, float gradient, float& value,
                                           float* first, float* second) {
  gradient = gradient * step.scale + step.weight_decay * value;
  if constexpr (kRule == UpdateRule::kSgd) {
    value -= step.rate * gradient;
  } else if constexpr (kRule == UpdateRule::kAdagrad) {
    *second += gradient * gradient;
    value -= step.rate * gradient / (std::sqrt(*second) + step.epsilon);
  } else {
    *first += step.first_gain * (gradient - *first);
    *second = step.second_decay * *second + step.second_gain * gradient * gradient;
    value -= step.rate * *first / (std::sqrt(*second) / step.second_root + step.epsilon);
  }
}

}  // namespace cane::kernels
