// Theorem 3 and Corollary 1 of the paper: the covariance of the estimate of CANE. The formula is
// compared with what the objective's own gradients imply, exactly, and with estimates from
// simulated data. Tolerances follow from the number of repetitions: four and a half standard
// deviations, and a term for data sets that are finite where the theorem is a limit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "core/objective/cane_problem.h"
#include "core/objective/estimate.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr std::uint32_t kExamples = 3000;  // a multiple of four: so many draws at a time
constexpr std::uint32_t kRepetitions = 2000;

/// E[g g^T] of the gradients at the truth.
template <typename Objective>
Matrix gradient_covariance(const Estimator<Objective>& estimator, const CaneProblem& problem) {
  Matrix sum(estimator.dimension());
  for (const Possibility& outcome : estimator.outcomes()) {
    Vector g(sum.size, 0.0);
    estimator.add_gradient(outcome, scores_at(problem.design, outcome.x, problem.truth), 1.0, &g);
    for (std::size_t a = 0; a < g.size(); ++a) {
      for (std::size_t b = 0; b < g.size(); ++b) sum(a, b) += outcome.probability * g[a] * g[b];
    }
  }
  return sum;
}

/// What holds for any such estimator: inverse Hessian, covariance of the gradients, inverse
/// Hessian.
template <typename Objective>
Matrix asymptotic_covariance(const Estimator<Objective>& estimator, const CaneProblem& problem) {
  const Matrix bread = inverse(estimator.hessian(problem.truth));
  return product(product(bread, gradient_covariance(estimator, problem)), bread);
}

/// The covariance of sqrt(n) (estimate - truth) over repeated data sets.
template <typename Objective>
Matrix simulated_covariance(Estimator<Objective> estimator, const CaneProblem& problem) {
  const Matrix inverse_hessian = inverse(estimator.hessian(problem.truth));
  Vector cumulative;
  double total = 0.0;
  for (const Possibility& outcome : estimator.outcomes()) {
    cumulative.push_back(total += outcome.probability);
  }
  Matrix sum(estimator.dimension());
  for (std::uint32_t repetition = 0; repetition < kRepetitions; ++repetition) {
    const CounterRandom random(17, RandomPurpose::kSynthetic, repetition);
    Vector shares(cumulative.size(), 0.0);
    for (std::uint32_t example = 0; example < kExamples; example += 4) {
      for (const std::uint32_t word : random.words(example, 0)) {
        const double at = total * 0x1.0p-32 * word;
        const auto found = std::upper_bound(cumulative.begin(), cumulative.end() - 1, at);
        shares[static_cast<std::size_t>(found - cumulative.begin())] += 1.0 / kExamples;
      }
    }
    estimator.set_weights(shares);
    const Vector estimate = estimator.minimum_from(problem.truth, inverse_hessian);
    for (std::size_t a = 0; a < sum.size; ++a) {
      for (std::size_t b = 0; b < sum.size; ++b) {
        sum(a, b) += (estimate[a] - problem.truth[a]) * (estimate[b] - problem.truth[b]) *
                     kExamples / kRepetitions;
      }
    }
  }
  return sum;
}

constexpr double kDeviations = 4.5;
constexpr double kFiniteData = 30.0 / kExamples;  // the relative error of the limit

/// Entry by entry, and their sum weighted by the inverse, which is the sharpest single figure.
void expect_same_covariance(const Matrix& simulated, const Matrix& formula) {
  for (std::size_t a = 0; a < formula.size; ++a) {
    for (std::size_t b = 0; b < formula.size; ++b) {
      const double scale = formula(a, a) * formula(b, b);
      const double deviation = std::sqrt((scale + formula(a, b) * formula(a, b)) / kRepetitions);
      EXPECT_NEAR(simulated(a, b), formula(a, b),
                  kDeviations * deviation + kFiniteData * std::sqrt(scale))
          << a << ", " << b;
    }
  }
  const auto freedom = static_cast<double>(formula.size);
  EXPECT_NEAR(trace(product(inverse(formula), simulated)), freedom,
              kDeviations * std::sqrt(2.0 * freedom / kRepetitions) + kFiniteData * freedom);
}

void expect_near(const Matrix& a, const Matrix& b, double tolerance) {
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    EXPECT_NEAR(a.values[i], b.values[i], tolerance) << i;
  }
}

/// The mean over the parameters of variance against that of maximum likelihood, along the axes
/// where the latter is one: 1 is as good as the likelihood.
double relative_variance(const Matrix& covariance, const Matrix& likelihood_information) {
  return trace(product(covariance, likelihood_information)) / static_cast<double>(covariance.size);
}

// Candidates that differ by input, with the class of fixed score outside them or inside.
const std::vector<Classes> kSomeCandidates = {{0, 2}, {1, 5}};

TEST(CaneCovariance, TheMatrixOfTheTheoremIsBothTheHessianAndTheGradientCovariance) {
  for (const auto& candidates :
       {kSomeCandidates, std::vector<Classes>{{5}, {5}}, std::vector<Classes>{{0}, {3, 2, 0}}}) {
    const CaneProblem problem = two_inputs(candidates);
    const Estimator estimator = cane_estimator(problem, 1);
    const Matrix information = theorem_information(problem);
    expect_near(estimator.hessian(problem.truth), information, 2e-5);
    expect_near(gradient_covariance(estimator, problem), information, 1e-6);
  }
}

TEST(CaneCovariance, SimulatedEstimatesSpreadAsTheTheoremSays) {
  const CaneProblem problem = two_inputs(kSomeCandidates);
  const Matrix formula = inverse(theorem_information(problem));
  expect_same_covariance(simulated_covariance(cane_estimator(problem, 1), problem), formula);
  // The formula is far enough from that of maximum likelihood for the comparison to tell them
  // apart.
  const Matrix likelihood = theorem_information(with_all_candidates(problem));
  EXPECT_GT(relative_variance(formula, likelihood), 1.3);
}

// The theorem is for one noise for each example. The mean over several leaves the Hessian as it is
// and takes from the covariance of the gradients.
TEST(CaneCovariance, SeveralNoisesSpreadLessThanTheTheoremSays) {
  const CaneProblem problem = two_inputs(kSomeCandidates);
  const Matrix likelihood = theorem_information(with_all_candidates(problem));
  double before = relative_variance(inverse(theorem_information(problem)), likelihood);
  for (const std::uint32_t noises : {2U, 4U}) {
    const Estimator estimator = cane_estimator(problem, noises);
    expect_near(estimator.hessian(problem.truth), theorem_information(problem), 2e-5);
    const Matrix covariance = asymptotic_covariance(estimator, problem);
    const double after = relative_variance(covariance, likelihood);
    EXPECT_LT(after, before - 0.01);
    EXPECT_GT(after, 1.0);
    before = after;
  }
}

TEST(CaneCovariance, WithEveryClassACandidateItIsThatOfMaximumLikelihood) {
  const CaneProblem problem = with_all_candidates(two_inputs({}));
  const Matrix formula = inverse(theorem_information(problem));
  expect_near(asymptotic_covariance(softmax_estimator(problem), problem), formula, 1e-2);
  expect_near(asymptotic_covariance(cane_estimator(problem, 1), problem), formula, 1e-2);
}

TEST(CaneCovariance, ComesCloserToMaximumLikelihoodAsTheCandidatesCoverTheLabel) {
  const Matrix likelihood = theorem_information(with_all_candidates(two_inputs({})));
  Vector ratios;
  for (std::size_t count = 1; count <= 6; ++count) {
    const CaneProblem problem = with_best_candidates(two_inputs({}), count);
    const Matrix formula = inverse(theorem_information(problem));
    ratios.push_back(relative_variance(formula, likelihood));
    if (count != 1 && count != 4) continue;
    const Matrix whitened = product(formula, likelihood);
    const double deviation = std::sqrt(2.0 * trace(product(whitened, whitened)) / kRepetitions) /
                             static_cast<double>(formula.size);
    const Matrix simulated = simulated_covariance(cane_estimator(problem, 1), problem);
    EXPECT_NEAR(relative_variance(simulated, likelihood), ratios.back(),
                kDeviations * deviation + kFiniteData * ratios.back());
  }
  for (std::size_t count = 2; count <= 5; ++count) EXPECT_LT(ratios[count - 1], ratios[count - 2]);
  EXPECT_GT(ratios[0], 1.5);
  EXPECT_LT(ratios[3], 1.05);
  // A class that is alone outside the candidates is drawn for certain: that is the softmax already.
  EXPECT_NEAR(ratios[4], 1.0, 1e-9);
  EXPECT_NEAR(ratios[5], 1.0, 1e-9);
}

// The limit of Corollary 1 itself: the candidates stay, the others become rare. The variance of a
// rare class's own score grows without bound for every method, so for these it is the ratio that
// comes to one; for the candidates' scores it is the difference that vanishes.
TEST(CaneCovariance, ComesToMaximumLikelihoodAsTheOtherClassesBecomeRare) {
  double before = 1e9;
  for (const double rare : {0.1, 0.01, 0.001, 0.0001}) {
    CaneProblem problem;
    problem.design = free_scores(5, true);
    problem.truth = {0.5, std::log(rare), -0.3, std::log(2.0 * rare)};
    problem.noise_weights = {1.0, 2.0, 3.0, 1.0, 1.0};
    problem.candidates = {{0, 2, 4}};
    const Matrix likelihood = theorem_information(with_all_candidates(problem));
    const Matrix best = inverse(likelihood);
    const Matrix covariance = inverse(theorem_information(problem));
    double excess = relative_variance(covariance, likelihood) - 1.0;
    for (std::size_t k = 0; k < 4; ++k) {
      excess = std::max(excess, covariance(k, k) / best(k, k) - 1.0);
    }
    for (const std::size_t k : {0U, 2U}) {
      for (const std::size_t l : {0U, 2U}) {
        excess = std::max(excess, std::abs(covariance(k, l) - best(k, l)));
      }
    }
    EXPECT_LT(excess, 0.2 * before);
    before = excess;
  }
  EXPECT_LT(before, 1e-3);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
