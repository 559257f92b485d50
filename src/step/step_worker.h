// Computes, for a few examples, the gradient of a method's loss in the weights: everything in a
// training step before the update. It reads the weights and writes only to itself.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "core/base/random.h"
#include "core/base/row_view.h"
#include "linear/gradient/gradient_parts.h"

namespace cane {

struct StepStats {
  double loss = 0.0;    // weighted sum
  double weight = 0.0;  // sum of example weights
  std::uint64_t examples = 0;
  std::uint64_t covered = 0;  // examples whose label was a candidate
  std::uint64_t rows_scored = 0;

  void add(const StepStats& other) {
    loss += other.loss;
    weight += other.weight;
    examples += other.examples;
    covered += other.covered;
    rows_scored += other.rows_scored;
  }
};

/// The gradient in one table of weights, with the rows that the steps of its parts multiply.
struct TableGradient {
  std::size_t table;
  GradientParts* parts;
  std::span<const RowView> rows;  // one for each example that `parts` refers to
  /// Steps are differences of probabilities, so it is known which ones are small.
  bool is_probability = false;
};

class StepWorker {
 public:
  virtual ~StepWorker() = default;

  virtual StepStats compute(std::span<const std::uint32_t> examples,
                            const CounterRandom& random) = 0;

  /// Gradients of the last compute; valid until the next.
  virtual std::span<const TableGradient> gradients() const = 0;
};

/// The weight of an example, reduced if the norm of its gradient would exceed `clip` (0:
/// unbounded). That norm is the norm of the gradient in the scores times the norm of (x, 1).
inline float clipped_weight(float weight, float clip, std::span<const float> score_gradient,
                            const RowView& row) {
  if (clip == 0.0F) return weight;
  float scores = 0.0F;
  for (const float value : score_gradient) scores += value * value;
  float features = 1.0F;
  for (std::uint32_t i = 0; i < row.count; ++i) features += row.values[i] * row.values[i];
  const float length = weight * std::sqrt(scores * features);
  return length > clip ? weight * clip / length : weight;
}

}  // namespace cane
