// What the functors of a step know of its batch. Numbers that change from step to step lie in the
// device's memory, so that a step can be recorded once and repeated: steps of fewer examples than
// the batch has places leave the last places empty, with weight 0.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/host_device.h"
#include "core/base/random.h"
#include "device/learner.h"

namespace cane::device {

inline constexpr std::uint32_t kNoRow = 0xFFFFFFFF;

/// Rows of tables begin at multiples of this many floats, as matrix products on a GPU want them.
inline constexpr std::uint64_t kPitchMultiple = 4;
constexpr std::uint64_t pitch_of(std::uint64_t columns) {
  return (columns + kPitchMultiple - 1) / kPitchMultiple * kPitchMultiple;
}

struct StepState {
  std::uint32_t count = 0;  // examples of the step
  std::uint32_t epoch = 0;
  float minus_rate[kTables] = {};  // of each table
  float decay = 1.0F;              // factor on the weights of a class for each example
};

struct BatchView {
  const StepState* step = nullptr;
  const std::uint32_t* labels = nullptr;   // [batch]; 0 beyond the count
  const float* weights = nullptr;          // [batch]; 0 beyond the count
  const std::uint32_t* numbers = nullptr;  // [batch] of the examples in the data
  std::uint64_t seed = 0;

  CANE_HOST_DEVICE bool has(std::int64_t example) const { return example < step->count; }
  CANE_HOST_DEVICE CounterRandom random() const {
    return {seed, RandomPurpose::kNoise, step->epoch};
  }
};

/// What an example adds to the sums of a step; 0 beyond the count.
struct ExampleResults {
  float* losses = nullptr;   // [batch] weighted
  float* covered = nullptr;  // [batch] 1 if the label was a candidate
  float* scored = nullptr;   // [batch] rows scored

  CANE_HOST_DEVICE void set(std::int64_t example, float loss, bool is_covered, float rows) const {
    losses[example] = loss;
    covered[example] = is_covered ? 1.0F : 0.0F;
    scored[example] = rows;
  }
};

/// The inputs of a batch: dense, `pitch` floats each with a 1 at place `width`, the feature of the
/// bias, and zeros behind it; or, if `dense` is null, sparse with ascending indices below `width`.
struct Rows {
  std::uint32_t width = 0;
  const float* dense = nullptr;
  std::uint64_t pitch = 0;
  const std::uint64_t* begins = nullptr;  // [batch] into indices and values
  const std::uint64_t* ends = nullptr;
  const std::uint32_t* indices = nullptr;
  const float* values = nullptr;
};

/// Calls body(feature, value) for the values of a row that belong to the lane, the bias among them.
template <typename Lanes, typename Body>
CANE_HOST_DEVICE void for_each_value(const Rows& rows, std::int64_t example, const Lanes& lanes,
                                     const Body& body) {
  if (rows.dense != nullptr) {
    const float* row = rows.dense + static_cast<std::uint64_t>(example) * rows.pitch;
    for (std::uint32_t i = lanes.from(0); i <= rows.width; i += lanes.stride()) body(i, row[i]);
    return;
  }
  const std::uint64_t begin = rows.begins[example];
  const auto count = static_cast<std::uint32_t>(rows.ends[example] - begin);
  for (std::uint32_t p = lanes.from(0); p < count; p += lanes.stride()) {
    body(rows.indices[begin + p], rows.values[begin + p]);
  }
  if (lanes.owns(0)) body(rows.width, 1.0F);
}

/// x times the weights, the bias last. All lanes get it.
template <typename Lanes>
CANE_HOST_DEVICE float dot(const Rows& rows, std::int64_t example, const float* weights,
                           const Lanes& lanes) {
  float sum = 0.0F;
  for_each_value(rows, example, lanes,
                 [&](std::uint32_t feature, float value) { sum += value * weights[feature]; });
  return lanes.sum(sum);
}

/// |x|^2 + 1. All lanes get it.
template <typename Lanes>
CANE_HOST_DEVICE float squared_length(const Rows& rows, std::int64_t example, const Lanes& lanes) {
  float sum = 0.0F;
  for_each_value(rows, example, lanes, [&](std::uint32_t, float value) { sum += value * value; });
  return lanes.sum(sum);
}

/// The weight of an example, reduced if the norm of its gradient would exceed `clip` (0:
/// unbounded).
CANE_HOST_DEVICE inline float clipped_weight(float weight, float clip, float squared_gradient,
                                             float squared_features) {
  if (clip == 0.0F) return weight;
  const float length = weight * std::sqrt(squared_gradient * squared_features);
  return length > clip ? weight * clip / length : weight;
}

}  // namespace cane::device
