// Where each objective has its optimum, by exact expectation over labels and noises of a problem
// with few classes and free scores. Consistent objectives have it at the true log-odds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/objective/enumerated_problem.h"
#include "core/objective/estimate.h"
#include "methods/with_objective.h"

namespace cane {
namespace CANE_THIS_FILE {

const Vector kProbabilities = {0.5, 0.05, 0.15, 0.3};
const Vector kUniform = {1.0, 1.0, 1.0, 1.0};
const Vector kNoiseLaws[] = {kUniform, {0.1, 0.2, 0.3, 0.4}, {6.0, 1.0, 2.0, 0.5}};
constexpr double kClose = 5e-5;

Vector log_odds(const Vector& p) {
  Vector result;
  for (const double value : p) result.push_back(std::log(value / p.back()));
  return result;
}

/// The scores at the optimum; the last is zero where only differences of scores count.
template <typename Objective>
Vector optimum(const Objective& objective, const std::vector<Possibility>& outcomes,
               std::size_t classes, bool fix_last = true) {
  const Design design = free_scores(classes, fix_last);
  return scores_at(design, 0, Estimator(objective, design, outcomes).minimum());
}

/// Outcomes with noises drawn as the objective of this kind wants them.
std::vector<Possibility> drawn_for(Method kind, const Vector& p, const Vector& weights,
                                   std::uint32_t noises) {
  return label_against_noises(p, weights, noises, row_of(kind).excludes_label);
}

double largest_difference(const Vector& a, const Vector& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a[k] - b[k]));
  return largest;
}

TEST(KnownOptimum, SoftmaxFindsTheLogOdds) {
  const Vector found = optimum(Softmax(), all_classes(kProbabilities), 4);
  EXPECT_LT(largest_difference(found, log_odds(kProbabilities)), kClose);
}

TEST(KnownOptimum, CandidatesVsNoisesFindsTheLogOddsWithAnyCandidatesAndAnyNoiseLaw) {
  for (const Vector& weights : kNoiseLaws) {
    for (const Classes& candidates :
         {Classes{0}, Classes{1}, Classes{2, 1}, Classes{0, 3}, Classes{3, 1, 0}}) {
      for (const std::uint32_t noises : {1U, 3U}) {
        const Vector found =
            optimum(CandidatesVsNoises(),
                    candidates_against_noises(kProbabilities, weights, candidates, noises), 4);
        EXPECT_LT(largest_difference(found, log_odds(kProbabilities)), kClose);
      }
    }
  }
}

// Candidates must be a function of x alone. Here the label is put among them where it is missing.
TEST(KnownOptimum, CandidatesVsNoisesMissesItWhenTheLabelDecidesTheCandidates) {
  std::vector<Possibility> outcomes;
  for (std::uint32_t label = 0; label < 4; ++label) {
    const Classes candidates = label == 0 ? Classes{0} : Classes{0, label};
    for (Possibility& outcome :
         candidates_against_noises(kProbabilities, kUniform, candidates, 1)) {
      if (outcome.classes[outcome.label_at] == label) outcomes.push_back(std::move(outcome));
    }
  }
  const Vector found = optimum(CandidatesVsNoises(), outcomes, 4);
  EXPECT_GT(largest_difference(found, log_odds(kProbabilities)), 0.1);
}

TEST(KnownOptimum, NoiseContrastFindsTheNormalisedLogProbabilities) {
  for (const Vector& weights : kNoiseLaws) {
    for (const std::uint32_t noises : {1U, 2U, 3U}) {
      const Vector found = optimum(
          NoiseContrast{}, drawn_for(Method::kNce, kProbabilities, weights, noises), 4, false);
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_NEAR(found[k], std::log(kProbabilities[k]), kClose);
    }
  }
}

TEST(KnownOptimum, NegativeSamplingMissesTheLogOddsByTheLogOfTheNoiseRate) {
  for (const std::uint32_t noises : {1U, 3U}) {
    const Vector q = law_outside(kNoiseLaws[2], {});
    const Vector found =
        optimum(NegativeSampling{}, drawn_for(Method::kNeg, kProbabilities, q, noises), 4, false);
    Vector differences = found;
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(found[k], std::log(kProbabilities[k]) - std::log(noises * q[k]), kClose);
      differences[k] -= found[3];
    }
    EXPECT_GT(largest_difference(differences, log_odds(kProbabilities)), 1.0);
  }
}

TEST(KnownOptimum, BlackOutFindsTheLogOddsWithAnyNoiseLaw) {
  for (const Vector& weights : kNoiseLaws) {
    for (const std::uint32_t noises : {1U, 2U, 3U}) {
      const Vector found =
          optimum(BlackOut(), drawn_for(Method::kBlackout, kProbabilities, weights, noises), 4);
      EXPECT_LT(largest_difference(found, log_odds(kProbabilities)), kClose);
    }
  }
}

TEST(KnownOptimum, NoiseContrastAndBlackOutMissItWhenTheLabelIsExcludedFromTheNoises) {
  const auto outcomes = label_against_noises(kProbabilities, kNoiseLaws[2], 2, true);
  Vector contrast = optimum(NoiseContrast{}, outcomes, 4, false);
  for (double& score : contrast) score -= contrast[3];
  EXPECT_GT(largest_difference(contrast, log_odds(kProbabilities)), 0.1);
  EXPECT_GT(largest_difference(optimum(BlackOut(), outcomes, 4), log_odds(kProbabilities)), 0.1);
}

// The rivals of each label, every one a noise once.
std::vector<Possibility> all_rivals(const Vector& p) {
  std::vector<Possibility> outcomes;
  for (std::uint32_t label = 0; label < p.size(); ++label) {
    Classes rivals;
    for (std::uint32_t k = 0; k < p.size(); ++k) {
      if (k != label) rivals.push_back(k);
    }
    outcomes.push_back(make_outcome(p[label], {label}, rivals, law_outside(kUniform, {label})));
  }
  return outcomes;
}

template <typename Objective>
double expected_loss(const Objective& objective, const std::vector<Possibility>& outcomes,
                     const Vector& class_scores) {
  double expected = 0.0;
  for (const Possibility& outcome : outcomes) {
    std::vector<float> scores;
    for (const std::uint32_t k : outcome.classes) {
      scores.push_back(static_cast<float>(class_scores[k]));
    }
    std::vector<float> gradient(scores.size());
    expected += outcome.probability *
                double{objective(outcome.shortlist(), scores.data(), gradient.data())};
  }
  return expected;
}

TEST(KnownOptimum, OneVsEachFindsTheLogOddsWithAnyNumberOfUniformNoises) {
  for (const std::uint32_t noises : {1U, 2U, 3U}) {
    const Vector found =
        optimum(OneVsEach{4}, drawn_for(Method::kOve, kProbabilities, kUniform, noises), 4);
    EXPECT_LT(largest_difference(found, log_odds(kProbabilities)), kClose);
  }
}

TEST(KnownOptimum, OneVsEachEstimatesTheSumOverAllPairsAndBoundsTheSoftmax) {
  for (const Vector& scores :
       {Vector{0.0, 0.0, 0.0, 0.0}, Vector{2.0, -1.0, 0.5, 0.0}, Vector{-3.0, 1.0, 4.0, 0.2}}) {
    double pairs = 0.0;
    for (std::size_t label = 0; label < 4; ++label) {
      for (std::size_t rival = 0; rival < 4; ++rival) {
        if (rival == label) continue;
        pairs += kProbabilities[label] * std::log1p(std::exp(scores[rival] - scores[label]));
      }
    }
    EXPECT_NEAR(expected_loss(OneVsEach{4}, all_rivals(kProbabilities), scores), pairs, 1e-5);
    const auto sampled = drawn_for(Method::kOve, kProbabilities, kUniform, 2);
    EXPECT_NEAR(expected_loss(OneVsEach{4}, sampled, scores), pairs, 1e-5);
    EXPECT_GT(pairs, expected_loss(Softmax(), all_classes(kProbabilities), scores));
  }
}

// One parameter for four classes: no value of it gives the true log-odds.
TEST(KnownOptimum, OneVsEachIsNotMaximumLikelihoodWhereTheModelIsWrong) {
  const Design slope = {{{1.5}, {-1.0}, {0.5}, {0.0}}};
  const double likely = Estimator(Softmax(), slope, all_classes(kProbabilities)).minimum()[0];
  const double each = Estimator(OneVsEach{4}, slope, all_rivals(kProbabilities)).minimum()[0];
  EXPECT_GT(std::abs(likely - each), 0.02);
}

TEST(KnownOptimum, ComplementarySumWithAllRivalsIsTheSoftmax) {
  const auto rivals = all_rivals(kProbabilities);
  const Vector scores = {2.0, -1.0, 0.5, 0.0};
  EXPECT_NEAR(expected_loss(ComplementarySum{4}, rivals, scores),
              expected_loss(Softmax(), all_classes(kProbabilities), scores), 1e-6);
  const Vector found = optimum(ComplementarySum{4}, rivals, 4);
  EXPECT_LT(largest_difference(found, log_odds(kProbabilities)), kClose);
}

TEST(KnownOptimum, ComplementarySumComesToTheLogOddsOnlyAsTheNoisesGrow) {
  const Vector p = {0.5, 0.2, 0.3};
  std::vector<double> errors;
  for (const std::uint32_t noises : {1U, 2U, 4U, 8U}) {
    const auto outcomes = drawn_for(Method::kCss, p, {1.0, 1.0, 1.0}, noises);
    errors.push_back(largest_difference(optimum(ComplementarySum{3}, outcomes, 3), log_odds(p)));
  }
  EXPECT_GT(errors[0], 0.1);
  for (std::size_t i = 1; i < errors.size(); ++i) EXPECT_LT(errors[i], 0.7 * errors[i - 1]);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
