// Binary online learning for the online trees: a linear classifier for each row of a table, whether
// it routes at a node or scores a class.
//
// A step descends the squared distance of the score, clipped to [-1, 1], from the target 1 or -1: a
// score beyond the target gives no update, and the pull on a score far on the wrong side is
// bounded. Step lengths are adapted per weight (AdaGrad, Duchi et al. 2011) and are
// importance-aware (Karampatziakis and Langford 2011): a step goes as far as infinitely many small
// steps of the same total weight would, so that a large weight or rate does not overshoot. Features
// are expected on one scale (linear/weights/row_scaling.h).
//
// The gradient in the features, for training an encoder, is the sum of the gradients of those small
// steps in the score, times the row before the update. For a small weight and rate it equals the
// gradient of the squared distance; for any weight it stays bounded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/row_view.h"
#include "linear/weights/weight_view.h"

namespace cane {

/// Scores with a table that has one row per linear classifier.
class RowScorer {
 public:
  /// Both must outlive this.
  RowScorer(const BlockLayout& layout, WeightView weights) : layout_(&layout), weights_(weights) {}

  float score(std::uint32_t number, const RowView& row) const {
    float total = 0.0F;
    score(std::span(&number, 1), row, &total);
    return total;
  }
  void score(std::span<const std::uint32_t> numbers, const RowView& row, float* scores) const {
    weights_.score_rows(*layout_, row, numbers, scores);
  }

 private:
  const BlockLayout* layout_;
  WeightView weights_;
};

class RowLearner : public RowScorer {
 public:
  /// `layout` has a row for every classifier, and `squares` dimension + 1 values for each. Both
  /// must outlive the object.
  RowLearner(const BlockLayout& layout, float* weights, float* squares)
      : RowScorer(layout, weights), layout_(&layout), weights_(weights), squares_(squares) {}

  /// An additional weight, outside the row, whose feature is 1.
  struct Extra {
    float* weight;
    float* square;
  };
  /// The inputs of a step other than the row.
  struct Target {
    float score;  // current score, including the extras
    bool positive;
    float weight;  // of the example; 0: no update
    float rate;
    /// Minus the gradient in the features is added here, dimension floats; null: not computed.
    float* input_steps = nullptr;
    std::span<const Extra> extras = {};
  };
  void learn(std::uint32_t number, const RowView& row, const Target& target,
             std::vector<float>& scratch);

  /// Resets a row to its initial state.
  void reset(std::uint32_t number);

 private:
  const BlockLayout* layout_;
  float* weights_;
  float* squares_;
};

/// Clips a score to [-1, 1].
inline float cut(float score) {
  return std::clamp(score, -1.0F, 1.0F);
}

/// The loss of a step: the squared distance from the target.
inline double row_loss(float score, bool positive) {
  const double distance = (positive ? 1.0 : -1.0) - static_cast<double>(cut(score));
  return distance * distance;
}

}  // namespace cane
