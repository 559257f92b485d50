#include "theory/linear_problem.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/random.h"
#include "core/noise/unigram_noise.h"

namespace cane::theory {
namespace {

using Eigen::Index;

constexpr Index kClasses = 8;
constexpr Index kInputs = 8;
constexpr Index kDimension = 2;  // a constant and one feature
constexpr double kInputSpread = 1.5;
// Scores wide enough that candidates matter, and narrow enough that samples of a few hundred
// examples hold every class.
constexpr double kWeightSpread = 0.9;

}  // namespace

Eigen::MatrixXd class_scores(const LinearProblem& problem, const Eigen::VectorXd& parameters) {
  const Index free_classes = problem.classes() - 1;
  Eigen::MatrixXd scores = Eigen::MatrixXd::Zero(problem.inputs.rows(), problem.classes());
  scores.leftCols(free_classes) =
      problem.inputs * parameters.reshaped(problem.dimension(), free_classes);
  return scores;
}

void add_in_parameters(const LinearProblem& problem, Index input,
                       const Eigen::MatrixXd& over_classes, Eigen::MatrixXd& sum) {
  const Index dimension = problem.dimension();
  const Eigen::VectorXd features = problem.inputs.row(input);
  const Eigen::MatrixXd square = features * features.transpose();
  for (Index k = 0; k < over_classes.rows(); ++k) {
    for (Index l = 0; l < over_classes.cols(); ++l) {
      sum.block(k * dimension, l * dimension, dimension, dimension) += over_classes(k, l) * square;
    }
  }
}

LinearProblem make_linear_problem(std::uint64_t seed) {
  const CounterRandom random(seed, RandomPurpose::kSynthetic);
  LinearProblem problem;
  problem.inputs = Eigen::MatrixXd::Ones(kInputs, kDimension);
  problem.inputs.col(1).setLinSpaced(-kInputSpread, kInputSpread);
  problem.truth.resize((kClasses - 1) * kDimension);
  for (Index i = 0; i < problem.truth.size(); ++i) {
    problem.truth(i) = kWeightSpread * random.normal(0, static_cast<std::uint32_t>(i));
  }
  // class_scores() asks the problem for its number of classes.
  problem.probabilities.resize(kInputs, kClasses);
  problem.probabilities = class_scores(problem, problem.truth).array().exp();
  for (Index x = 0; x < kInputs; ++x) {
    problem.probabilities.row(x) /= problem.probabilities.row(x).sum();
  }
  return problem;
}

double Selection::q(std::size_t noise) const {
  return std::exp(double{log_q[noise]});
}

std::vector<Selection> select_most_probable(const LinearProblem& problem, std::uint32_t count) {
  const Eigen::VectorXd marginal = problem.probabilities.colwise().mean();
  const UnigramNoise law({marginal.data(), static_cast<std::size_t>(marginal.size())}, 1.0F);
  std::vector<Selection> selections;
  for (Index x = 0; x < problem.inputs.rows(); ++x) {
    std::vector<ClassId> order(problem.reference());
    std::iota(order.begin(), order.end(), 0U);
    const auto p = problem.probabilities.row(x);
    std::ranges::sort(order, [&](ClassId a, ClassId b) { return p(a) > p(b); });
    Selection selection;
    selection.candidates.assign(order.begin(), order.begin() + count);
    selection.candidates.push_back(problem.reference());
    selection.noises.assign(order.begin() + count, order.end());
    std::ranges::sort(selection.candidates);
    for (const ClassId j : selection.noises) {
      selection.log_q.push_back(law.log_probability(j, selection.candidates));
    }
    selections.push_back(selection);
  }
  return selections;
}

double covered_probability(const LinearProblem& problem, const std::vector<Selection>& selections) {
  double covered = 0.0;
  for (Index x = 0; x < problem.inputs.rows(); ++x) {
    for (const ClassId k : selections[static_cast<std::size_t>(x)].candidates) {
      covered += problem.probabilities(x, k);
    }
  }
  return covered / static_cast<double>(problem.inputs.rows());
}

}  // namespace cane::theory
