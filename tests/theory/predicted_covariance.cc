#include "theory/predicted_covariance.h"

#include <Eigen/LU>
#include <functional>

namespace cane::theory {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// E_x D S D^T for a matrix S over the classes but the reference.
MatrixXd mean_over_inputs(const LinearProblem& problem,
                          const std::function<MatrixXd(Index)>& over_classes) {
  MatrixXd sum = MatrixXd::Zero(problem.truth.size(), problem.truth.size());
  for (Index x = 0; x < problem.inputs.rows(); ++x) {
    add_in_parameters(problem, x, over_classes(x), sum);
  }
  return sum / static_cast<double>(problem.inputs.rows());
}

MatrixXd likelihood_matrix(const VectorXd& p) {
  return MatrixXd(p.asDiagonal()) - p * p.transpose();
}

/// The matrices of one input, over the classes but the reference.
struct ScoreMatrices {
  MatrixXd hessian;         // M of Theorem 3
  MatrixXd added_by_draws;  // P Cov_q(w)
};

ScoreMatrices score_matrices(const VectorXd& p, const Selection& selection) {
  const Index free_classes = p.size() - 1;
  VectorXd candidates = VectorXd::Zero(p.size());
  for (const ClassId k : selection.candidates) candidates(k) = p(k);
  const double covered = candidates.sum();
  ScoreMatrices sum = {MatrixXd::Zero(free_classes, free_classes),
                       MatrixXd::Zero(free_classes, free_classes)};
  // Without noises a single term is left: that of the candidates.
  if (selection.noises.empty()) {
    sum.hessian = likelihood_matrix(candidates.head(free_classes));
    return sum;
  }
  VectorXd mean_share = VectorXd::Zero(free_classes);
  for (std::size_t i = 0; i < selection.noises.size(); ++i) {
    const double q = selection.q(i);
    const ClassId j = selection.noises[i];
    VectorXd u = candidates.head(free_classes);
    u(j) = p(j) / q;
    const double normalizer = covered + p(j) / q;  // D_j
    sum.hessian += q * (MatrixXd(u.asDiagonal()) - u * u.transpose() / normalizer);
    const VectorXd share = u / normalizer;
    sum.added_by_draws += q * share * share.transpose();
    mean_share += q * share;
  }
  sum.added_by_draws = covered * (sum.added_by_draws - mean_share * mean_share.transpose());
  return sum;
}

}  // namespace

MatrixXd theorem_information(const LinearProblem& problem,
                             const std::vector<Selection>& selections) {
  return mean_over_inputs(problem, [&](Index x) {
    return score_matrices(problem.probabilities.row(x), selections[static_cast<std::size_t>(x)])
        .hessian;
  });
}

MatrixXd predicted_covariance(const LinearProblem& problem,
                              const std::vector<Selection>& selections, NoiseUse use) {
  MatrixXd inverse = theorem_information(problem, selections).inverse();
  if (use == NoiseUse::kOneDrawn) return inverse;
  const MatrixXd saved = mean_over_inputs(problem, [&](Index x) {
    return score_matrices(problem.probabilities.row(x), selections[static_cast<std::size_t>(x)])
        .added_by_draws;
  });
  return inverse - inverse * saved * inverse;
}

MatrixXd likelihood_covariance(const LinearProblem& problem) {
  return mean_over_inputs(problem,
                          [&](Index x) {
                            const VectorXd p = problem.probabilities.row(x);
                            return likelihood_matrix(p.head(p.size() - 1));
                          })
      .inverse();
}

}  // namespace cane::theory
