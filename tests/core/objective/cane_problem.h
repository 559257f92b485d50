// The problems on which the covariance of CANE is checked, and the matrix M of Theorem 3 as the
// paper writes it.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/objective/candidates_vs_noises.h"
#include "core/objective/enumerated_problem.h"
#include "core/objective/estimate.h"
#include "core/objective/softmax.h"

namespace cane {

/// Equally likely inputs, each with candidates of its own; p follows from the true parameters.
struct CaneProblem {
  Design design;
  Vector truth;
  Vector noise_weights;
  std::vector<Classes> candidates;  // for each input

  Vector probabilities(std::size_t x) const {
    Vector p = scores_at(design, x, truth);
    double sum = 0.0;
    for (double& value : p) sum += value = std::exp(value);
    for (double& value : p) value /= sum;
    return p;
  }
  std::size_t classes() const { return design[0].size(); }
  std::size_t inputs() const { return design.size(); }
};

// Six classes, an intercept for each but the last and one slope that all share.
inline CaneProblem two_inputs(std::vector<Classes> candidates) {
  const Vector directions = {0.6, -0.5, 0.5, -0.6, 0.3, 0.0};
  CaneProblem problem;
  for (const double x : {0.0, 1.0}) {
    std::vector<Vector> rows(6, Vector(6, 0.0));
    for (std::size_t k = 0; k < 6; ++k) {
      if (k < 5) rows[k][k] = 1.0;
      rows[k][5] = directions[k] * x;
    }
    problem.design.push_back(rows);
  }
  problem.truth = {2.0, 1.2, 0.4, -0.3, -0.5, 0.7};
  problem.noise_weights = {1.0, 2.0, 3.0, 2.0, 1.0, 1.0};
  problem.candidates = std::move(candidates);
  return problem;
}

template <typename Enumerate>
inline std::vector<Possibility> over_inputs(const CaneProblem& problem,
                                            const Enumerate& enumerate) {
  std::vector<Possibility> all;
  for (std::size_t x = 0; x < problem.inputs(); ++x) {
    for (Possibility outcome : enumerate(problem.probabilities(x), x)) {
      outcome.x = x;
      outcome.probability /= static_cast<double>(problem.inputs());
      all.push_back(std::move(outcome));
    }
  }
  return all;
}

inline Estimator<CandidatesVsNoises> cane_estimator(const CaneProblem& problem,
                                                    std::uint32_t noises) {
  return {CandidatesVsNoises(), problem.design,
          over_inputs(problem, [&](const Vector& p, std::size_t x) {
            return candidates_against_noises(p, problem.noise_weights, problem.candidates[x],
                                             noises);
          })};
}

inline Estimator<Softmax> softmax_estimator(const CaneProblem& problem) {
  return {Softmax(), problem.design,
          over_inputs(problem, [](const Vector& p, std::size_t) { return all_classes(p); })};
}

/// E_x [nabla M nabla^T] with M as the paper writes it. There the class whose score is fixed at
/// zero is always a candidate; here it need not be, and M has a row for every class.
inline Matrix theorem_information(const CaneProblem& problem) {
  Matrix information(problem.truth.size());
  for (std::size_t x = 0; x < problem.inputs(); ++x) {
    const Vector p = problem.probabilities(x);
    const Vector q = law_outside(problem.noise_weights, problem.candidates[x]);
    Matrix m(problem.classes());
    const auto add_term = [&](double weight, const Vector& u) {
      double total = 0.0;
      for (const double value : u) total += value;
      for (std::size_t a = 0; a < u.size(); ++a) {
        m(a, a) += weight * u[a];
        for (std::size_t b = 0; b < u.size(); ++b) m(a, b) -= weight * u[a] * u[b] / total;
      }
    };
    Vector u(problem.classes(), 0.0);
    for (const std::uint32_t k : problem.candidates[x]) u[k] = p[k];
    if (problem.candidates[x].size() == problem.classes()) add_term(1.0, u);
    for (std::size_t j = 0; j < q.size(); ++j) {
      if (q[j] == 0.0) continue;
      u[j] = p[j] / q[j];
      add_term(q[j], u);
      u[j] = 0.0;
    }
    for (std::size_t a = 0; a < information.size; ++a) {
      for (std::size_t b = 0; b < information.size; ++b) {
        for (std::size_t k = 0; k < problem.classes(); ++k) {
          for (std::size_t l = 0; l < problem.classes(); ++l) {
            information(a, b) += problem.design[x][k][a] * m(k, l) * problem.design[x][l][b] /
                                 static_cast<double>(problem.inputs());
          }
        }
      }
    }
  }
  return information;
}

inline CaneProblem with_all_candidates(CaneProblem problem) {
  Classes everything;
  for (std::uint32_t k = 0; k < problem.classes(); ++k) everything.push_back(k);
  problem.candidates.assign(problem.inputs(), everything);
  return problem;
}

inline CaneProblem with_best_candidates(CaneProblem problem, std::size_t count) {
  for (std::size_t x = 0; x < problem.inputs(); ++x) {
    const Vector p = problem.probabilities(x);
    Classes order = {0, 1, 2, 3, 4, 5};
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return p[a] > p[b]; });
    order.resize(count);
    problem.candidates.push_back(order);
  }
  return problem;
}

}  // namespace cane
