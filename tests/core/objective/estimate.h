// Estimates from enumerated outcomes: a linear model of the scores, the gradient of an objective in
// its parameters, and Newton's method. The objective runs in float as in training; everything
// around it in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "core/objective/enumerated_problem.h"
#include "support/small_matrix.h"

namespace cane {

/// s_k(x) = sum over d of design[x][k][d] theta_d.
using Design = std::vector<std::vector<Vector>>;

/// One parameter for each class. Objectives that do not change when a number is added to all scores
/// need the last class fixed at zero.
inline Design free_scores(std::size_t classes, bool fix_last) {
  std::vector<Vector> rows(classes, Vector(fix_last ? classes - 1 : classes, 0.0));
  for (std::size_t k = 0; k < rows[0].size(); ++k) rows[k][k] = 1.0;
  return {rows};
}

inline Vector scores_at(const Design& design, std::size_t x, const Vector& theta) {
  Vector scores;
  for (const Vector& row : design[x]) {
    double score = 0.0;
    for (std::size_t d = 0; d < theta.size(); ++d) score += row[d] * theta[d];
    scores.push_back(score);
  }
  return scores;
}

template <typename Objective>
class Estimator {
 public:
  Estimator(Objective objective, Design design, std::vector<Possibility> outcomes)
      : objective_(objective), design_(std::move(design)), outcomes_(std::move(outcomes)) {
    for (const Possibility& outcome : outcomes_) weights_.push_back(outcome.probability);
  }

  std::size_t dimension() const { return design_[0][0].size(); }
  const std::vector<Possibility>& outcomes() const { return outcomes_; }

  /// Takes observed shares of the outcomes in place of their probabilities.
  void set_weights(Vector weights) { weights_ = std::move(weights); }

  /// Adds weight times d loss / d theta of one outcome, given the scores of all classes at its x.
  void add_gradient(const Possibility& outcome, const Vector& scores, double weight,
                    Vector* sum) const {
    in_.clear();
    for (const std::uint32_t k : outcome.classes) in_.push_back(static_cast<float>(scores[k]));
    out_.resize(in_.size());
    objective_(outcome.shortlist(), in_.data(), out_.data());
    for (std::size_t i = 0; i < in_.size(); ++i) {
      const Vector& row = design_[outcome.x][outcome.classes[i]];
      for (std::size_t d = 0; d < row.size(); ++d) (*sum)[d] += weight * double{out_[i]} * row[d];
    }
  }

  Vector gradient(const Vector& theta) const {
    std::vector<Vector> scores;
    for (std::size_t x = 0; x < design_.size(); ++x) scores.push_back(scores_at(design_, x, theta));
    Vector sum(theta.size(), 0.0);
    for (std::size_t i = 0; i < outcomes_.size(); ++i) {
      if (weights_[i] == 0.0) continue;
      add_gradient(outcomes_[i], scores[outcomes_[i].x], weights_[i], &sum);
    }
    return sum;
  }

  Matrix hessian(const Vector& theta) const {
    constexpr double kStep = 1e-2;
    Matrix result(theta.size());
    for (std::size_t column = 0; column < theta.size(); ++column) {
      Vector up = theta;
      Vector down = theta;
      up[column] += kStep;
      down[column] -= kStep;
      const Vector above = gradient(up);
      const Vector below = gradient(down);
      for (std::size_t row = 0; row < theta.size(); ++row) {
        result(row, column) = (above[row] - below[row]) / (2 * kStep);
      }
    }
    return result;
  }

  /// Newton's method with a given inverse Hessian: near the optimum that of another point will do.
  Vector minimum_from(Vector theta, const Matrix& inverse_hessian) const {
    for (int iteration = 0; iteration < 100; ++iteration) {
      const Vector step = product(inverse_hessian, gradient(theta));
      if (take_step(step, &theta) < kTolerance) return theta;
    }
    throw std::runtime_error("no optimum found");
  }

  /// Newton's method from zero.
  Vector minimum() const {
    Vector theta(dimension(), 0.0);
    for (int iteration = 0; iteration < 100; ++iteration) {
      const Vector step = product(inverse(hessian(theta)), gradient(theta));
      if (take_step(step, &theta) < kTolerance) return theta;
    }
    throw std::runtime_error("no optimum found");
  }

 private:
  static constexpr double kTolerance = 1e-5;  // float gradients allow no better

  static double take_step(const Vector& step, Vector* theta) {
    double longest = 0.0;
    for (const double value : step) longest = std::max(longest, std::abs(value));
    const double scale = longest > 1.0 ? 1.0 / longest : 1.0;
    for (std::size_t d = 0; d < step.size(); ++d) (*theta)[d] -= scale * step[d];
    return longest;
  }

  Objective objective_;
  Design design_;
  std::vector<Possibility> outcomes_;
  Vector weights_;
  mutable std::vector<float> in_;
  mutable std::vector<float> out_;
};

}  // namespace cane
