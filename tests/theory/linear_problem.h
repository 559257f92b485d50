// The problem on which Theorems 2 and 3 and Corollary 1 are simulated: a few inputs x, equally
// likely, and scores s_k(x) = theta_k . x, the model being true. As in the paper's proofs the score
// of the last class is fixed at zero, and that class is in every denominator: it is a candidate for
// every x, beside those that are counted. The parameters are theta_1 .. theta_{K-1} one after
// another.
#pragma once

#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "core/base/types.h"

namespace cane::theory {

struct LinearProblem {
  Eigen::MatrixXd inputs;         // (inputs, dimension); the first column is one
  Eigen::VectorXd truth;          // (parameters)
  Eigen::MatrixXd probabilities;  // (inputs, classes), p(k|x)

  Eigen::Index classes() const { return probabilities.cols(); }
  Eigen::Index dimension() const { return inputs.cols(); }
  ClassId reference() const { return static_cast<ClassId>(classes() - 1); }
};

/// (inputs, classes): the scores at these parameters, zero for the reference class.
Eigen::MatrixXd class_scores(const LinearProblem& problem, const Eigen::VectorXd& parameters);

/// Adds D S D^T at one input: S is a matrix over the classes but the reference, and column k of D
/// the gradient of the score of class k in the parameters, which is x in those of class k.
void add_in_parameters(const LinearProblem& problem, Eigen::Index input,
                       const Eigen::MatrixXd& over_classes, Eigen::MatrixXd& sum);

/// Evenly spaced inputs, and a random truth: a pure function of the seed.
LinearProblem make_linear_problem(std::uint64_t seed);

/// What CANE knows of one input before it sees the label.
struct Selection {
  std::vector<ClassId> candidates;  // ascending; the reference class is the last
  std::vector<ClassId> noises;      // all other classes
  std::vector<float> log_q;         // of the noises

  double q(std::size_t noise) const;
};

/// For every input its `count` most probable classes beside the reference class. Noises follow the
/// marginal probabilities of the classes.
std::vector<Selection> select_most_probable(const LinearProblem& problem, std::uint32_t count);

/// The mean over the inputs of the probability that the label is a candidate.
double covered_probability(const LinearProblem& problem, const std::vector<Selection>& selections);

}  // namespace cane::theory
