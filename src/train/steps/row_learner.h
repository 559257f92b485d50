// The one place where an online tree learns "(row, yes or no)": a linear classifier for each row of
// a table, whether it routes at a node or scores a class.
//
// A step goes down the squared distance of the score, cut to [-1, 1], from 1 or -1: who is beyond
// learns nothing, and who is far off on the wrong side is pulled no harder than from there. Its
// length is adapted to every weight (AdaGrad, Duchi et al. 2011), and it is aware of the importance
// of the example (Karampatziakis and Langford 2011): it goes as far as infinitely many small steps
// of the same weight would, so that a large weight or rate does not overshoot. Features are
// expected on one scale (model/row_scaling.h).
//
// Whoever made the features may want to learn, too. What pulls at them is the sum of the gradients
// of those small steps in the score, times the row as it was before: for a small weight and rate
// that is the gradient of the squared distance, and however heavy the example it stays in bounds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/row_view.h"
#include "linear/scorers/row_scorer.h"

namespace cane {

class RowLearner : public RowScorer {
 public:
  /// `layout` has a row for every classifier; `squares` are dimension + 1 for each. They must
  /// outlive this.
  RowLearner(const BlockLayout& layout, float* weights, float* squares)
      : RowScorer(layout, weights), layout_(&layout), weights_(weights), squares_(squares) {}

  /// A weight outside the row whose feature is 1.
  struct Extra {
    float* weight;
    float* square;
  };
  /// What a step is made of in addition to the row.
  struct Target {
    float score;  // as it is now, with the extras
    bool positive;
    float weight;  // of the example; with 0 nothing is learned
    float rate;
    /// Where minus the gradient in the features is added, dimension floats; null: nowhere.
    float* input_steps = nullptr;
    std::span<const Extra> extras = {};
  };
  void learn(std::uint32_t number, const RowView& row, const Target& target,
             std::vector<float>& scratch);

  /// Back to where it began.
  void reset(std::uint32_t number);

 private:
  const BlockLayout* layout_;
  float* weights_;
  float* squares_;
};

/// A score that is as sure as it need be is taken for that.
inline float cut(float score) {
  return std::clamp(score, -1.0F, 1.0F);
}

/// What a step goes down: the squared distance from the target.
inline double row_loss(float score, bool positive) {
  const double distance = (positive ? 1.0 : -1.0) - static_cast<double>(cut(score));
  return distance * distance;
}

}  // namespace cane
