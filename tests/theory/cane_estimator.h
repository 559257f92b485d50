// The estimator of CANE on the linear problem: the parameters at which the empirical objective (Eq.
// obj) is largest, by Newton's method. Gradients come from the objective that trains; it runs in
// float, everything around it in double. Without any class outside the candidates it is maximum
// likelihood.
#pragma once

#include <vector>

#include "theory/linear_problem.h"
#include "theory/outcomes.h"

namespace cane::theory {

struct Derivatives {
  Eigen::VectorXd gradient;  // of the loss, the negative objective
  Eigen::MatrixXd hessian;
};

class CaneEstimator {
 public:
  /// Both are kept by reference.
  CaneEstimator(const LinearProblem& problem, const std::vector<Selection>& selections);

  const Outcomes& outcomes() const { return outcomes_; }

  /// At the given parameters, for a data set with these shares of the outcomes.
  Derivatives derivatives(const std::vector<double>& shares,
                          const Eigen::VectorXd& parameters) const;

  /// Where the objective is largest. Throws if that is nowhere, since a class is too rare.
  Eigen::VectorXd maximum(const std::vector<double>& shares) const;

 private:
  const LinearProblem& problem_;
  const std::vector<Selection>& selections_;
  Outcomes outcomes_;
};

}  // namespace cane::theory
