// The covariance of sqrt(n) (estimate - truth) as n grows, by formula, in double and without the
// objective that trains.
//
// Theorem 3 says [E_x D M D^T]^{-1}, D being the paper's gradients of the scores and M its sum over
// the noises j of q_j [diag(u_j) - u_j u_j^T / D_j]. M is minus the Hessian of Eq. Exp for every
// estimator here. That it is the covariance of the gradient too, as the proof needs, holds if each
// example has one noise, drawn once: the proof's Bernoulli variables Q_j are that draw, and its
// V_{jj'} = 0 is true for it alone. The estimator of Eq. obj, which the theorem is stated for,
// takes the mean over all noises. Its gradient then varies less, by what the draw of a noise adds:
// the probability of the candidates times Cov_{j ~ q}(w_j), w_j = u_j / D_j being the shares of the
// denominator. So V = M - P Cov_q(w), the covariance is H^{-1} V H^{-1} with H = E_x D M D^T and V
// likewise, and the theorem's matrix is an upper bound of it. With m noises for each example P
// Cov_q counts (1 - 1/m) times.
#pragma once

#include <vector>

#include "theory/linear_problem.h"
#include "theory/simulation_options.h"

namespace cane::theory {

/// E_x D M D^T of Theorem 3, the expected Hessian of the loss at the truth.
Eigen::MatrixXd theorem_information(const LinearProblem& problem,
                                    const std::vector<Selection>& selections);

/// The covariance of the estimates: Theorem 3 for one noise, the corrected one for all.
Eigen::MatrixXd predicted_covariance(const LinearProblem& problem,
                                     const std::vector<Selection>& selections, NoiseUse use);

/// [E_x D M^mle D^T]^{-1} of Corollary 1.
Eigen::MatrixXd likelihood_covariance(const LinearProblem& problem);

}  // namespace cane::theory
