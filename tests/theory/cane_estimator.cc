#include "theory/cane_estimator.h"

#include <Eigen/Cholesky>
#include <stdexcept>

#include "core/objective/candidates_vs_noises.h"

namespace cane::theory {
namespace {

using Eigen::Index;

constexpr int kMostNewtonSteps = 100;
// The largest change of a score in the last step. The float of the objective allows little less,
// and estimates spread a thousand times as much.
constexpr double kConverged = 1e-5;

/// The sums over the outcomes of one input, in the scores of the classes.
class InputSum {
 public:
  InputSum(const Selection& selection, const Eigen::VectorXd& scores)
      : selection_(selection), scores_(scores.cast<float>()) {
    derivatives_ = {Eigen::VectorXd::Zero(scores.size()),
                    Eigen::MatrixXd::Zero(scores.size(), scores.size())};
  }

  void add(const Outcome& outcome, double share) {
    std::vector<ClassId> classes = selection_.candidates;
    const bool has_noise = !selection_.noises.empty();
    if (has_noise) classes.push_back(selection_.noises[outcome.noise_at]);
    std::vector<float> values(classes.size());
    for (std::size_t i = 0; i < classes.size(); ++i) values[i] = scores_(classes[i]);
    const Shortlist shortlist = {static_cast<std::uint32_t>(selection_.candidates.size()),
                                 has_noise ? 1U : 0U, outcome.label_at,
                                 selection_.log_q.data() + outcome.noise_at};
    std::vector<float> slopes(classes.size());
    CandidatesVsNoises()(shortlist, values.data(), slopes.data());
    // The loss is the logarithm of a sum of exponentials less the label's score: with the shares w
    // of the sum its gradient is w - e_y, and its Hessian diag(w) - w w^T.
    Eigen::VectorXd w = Eigen::VectorXd::Zero(scores_.size());
    for (std::size_t i = 0; i < classes.size(); ++i) {
      derivatives_.gradient(classes[i]) += share * double{slopes[i]};
      w(classes[i]) = double{slopes[i]} + (i == outcome.label_at ? 1.0 : 0.0);
    }
    derivatives_.hessian.diagonal() += share * w;
    derivatives_.hessian.noalias() -= share * w * w.transpose();
  }

  const Derivatives& derivatives() const { return derivatives_; }

 private:
  const Selection& selection_;
  Eigen::VectorXf scores_;
  Derivatives derivatives_;
};

}  // namespace

CaneEstimator::CaneEstimator(const LinearProblem& problem, const std::vector<Selection>& selections)
    : problem_(problem), selections_(selections), outcomes_(problem, selections) {}

Derivatives CaneEstimator::derivatives(const std::vector<double>& shares,
                                       const Eigen::VectorXd& parameters) const {
  const Eigen::MatrixXd scores = class_scores(problem_, parameters);
  std::vector<InputSum> inputs;
  for (std::size_t x = 0; x < selections_.size(); ++x) {
    inputs.emplace_back(selections_[x], scores.row(static_cast<Index>(x)));
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Outcome& outcome = outcomes_.all()[i];
    if (shares[i] > 0.0) inputs[outcome.input].add(outcome, shares[i]);
  }
  Derivatives sum = {Eigen::VectorXd::Zero(parameters.size()),
                     Eigen::MatrixXd::Zero(parameters.size(), parameters.size())};
  const Index free_classes = problem_.classes() - 1;
  for (std::size_t input = 0; input < selections_.size(); ++input) {
    const auto x = static_cast<Index>(input);
    const auto& [gradient, hessian] = inputs[input].derivatives();
    for (Index k = 0; k < free_classes; ++k) {
      sum.gradient.segment(k * problem_.dimension(), problem_.dimension()) +=
          gradient(k) * problem_.inputs.row(x);
    }
    add_in_parameters(problem_, x, hessian.topLeftCorner(free_classes, free_classes), sum.hessian);
  }
  return sum;
}

Eigen::VectorXd CaneEstimator::maximum(const std::vector<double>& shares) const {
  Eigen::VectorXd parameters =
      problem_.truth;  // a concave objective has one maximum, from anywhere
  for (int i = 0; i < kMostNewtonSteps; ++i) {
    const Derivatives at = derivatives(shares, parameters);
    const Eigen::VectorXd step = -at.hessian.ldlt().solve(at.gradient);
    const double change = class_scores(problem_, step).cwiseAbs().maxCoeff();
    // The curvature holds while scores change by less than one: longer steps are cut.
    parameters += step / (1.0 + change);
    if (change < kConverged) return parameters;
  }
  throw std::runtime_error("the objective has no maximum: draw more examples");
}

}  // namespace cane::theory
