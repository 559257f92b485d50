// Pooled noises, by enumeration of labels and draws: consistent with dead slots and without, the
// paper's form with one noise, the softmax with all classes, and more informative with every slot.
#include "core/objective/pooled_noises.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/random.h"
#include "core/objective/candidates_vs_noises.h"
#include "core/objective/enumerated_problem.h"
#include "core/objective/estimate.h"
#include "core/objective/softmax.h"

namespace cane {
namespace CANE_THIS_FILE {

using Numbers = std::vector<float>;

const Vector kProbabilities = {0.4, 0.05, 0.15, 0.1, 0.3};
const Vector kLaw = {0.3, 0.1, 0.2, 0.15, 0.25};
constexpr float kDead = std::numeric_limits<float>::infinity();

Vector log_of(const Vector& p) {
  Vector logs;
  for (const double value : p) logs.push_back(std::log(value));
  return logs;
}

Classes classes_of(std::uint32_t mask) {
  Classes classes;
  for (std::uint32_t k = 0; k < kProbabilities.size(); ++k) {
    if ((mask >> k & 1U) != 0) classes.push_back(k);
  }
  return classes;
}

double largest(const Vector& values) {
  double most = 0.0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

struct Result {
  float loss;
  Numbers gradient;
};

template <typename Objective>
Result result_of(const Objective& objective, const Shortlist& shortlist, const Numbers& scores) {
  Result result = {0.0F, Numbers(scores.size())};
  result.loss = objective(shortlist, scores.data(), result.gradient.data());
  return result;
}

TEST(PooledNoises, GradientAgreesWithFiniteDifferences) {
  const Numbers log_q = {-1.2F, -0.3F, kDead, -2.5F};
  struct Case {
    std::uint32_t candidates, noises, label_at;
  };
  for (const Case& c : {Case{3, 4, 1}, Case{3, 4, 6}, Case{0, 2, 1}, Case{4, 0, 2}}) {
    const Shortlist shortlist = {c.candidates, c.noises, c.label_at, log_q.data()};
    Numbers scores;
    for (std::uint32_t i = 0; i < shortlist.size(); ++i) {
      scores.push_back(std::sin(3.0F * static_cast<float>(i)));
    }
    const Result at = result_of(PooledNoises(), shortlist, scores);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      constexpr float kStep = 1e-2F;
      Numbers up = scores;
      Numbers down = scores;
      up[i] += kStep;
      down[i] -= kStep;
      const float difference = (result_of(PooledNoises(), shortlist, up).loss -
                                result_of(PooledNoises(), shortlist, down).loss) /
                               (2 * kStep);
      EXPECT_NEAR(at.gradient[i], difference, 2e-4F);
    }
  }
}

TEST(PooledNoises, ExpectedGradientIsZeroAtTheTruthWithAndWithoutDeadSlots) {
  for (std::uint32_t mask = 0; mask < 1U << kProbabilities.size(); ++mask) {
    const Classes candidates = classes_of(mask);
    for (const std::uint32_t slots : {1U, 2U, 3U}) {
      for (const bool renormalises : {false, true}) {
        if (renormalises && candidates.size() == kProbabilities.size()) continue;
        const Vector q = law_outside(kLaw, renormalises ? candidates : Classes{});
        for (std::uint32_t place = 0; place < slots; ++place) {
          const Estimator expectation(
              PooledNoises(), free_scores(kProbabilities.size(), false),
              candidates_against_slots(kProbabilities, q, candidates, slots, place));
          ASSERT_LT(largest(expectation.gradient(log_of(kProbabilities))), 2e-7)
              << "candidates " << mask << ", slots " << slots;
        }
      }
    }
  }
}

// The three estimators with several noises: a term for each, pooled, and pooled with a label
// outside the candidates as the only noise. All have the same lists where the label is inside.
TEST(PooledNoises, AreConsistentUnlessTheLabelIsTheOnlyNoise) {
  const Vector truth = log_of(kProbabilities);
  const Classes candidates = {0, 2};
  const Design design = free_scores(kProbabilities.size(), false);
  const auto alone = candidates_against_noises(kProbabilities, kLaw, candidates, 3);
  EXPECT_LT(largest(Estimator(CandidatesVsNoises(), design, alone).gradient(truth)), 2e-7);
  EXPECT_GT(largest(Estimator(PooledNoises(), design, alone).gradient(truth)), 1e-2);
  const Vector q = law_outside(kLaw, candidates);
  const auto beside = candidates_against_slots(kProbabilities, q, candidates, 3, 1);
  EXPECT_LT(largest(Estimator(PooledNoises(), design, beside).gradient(truth)), 2e-7);
  EXPECT_GT(largest(Estimator(CandidatesVsNoises(), design, beside).gradient(truth)), 1e-2);
}

TEST(PooledNoises, WithOneNoiseAreThePapersForm) {
  const CounterRandom random(3, RandomPurpose::kSynthetic);
  const Numbers log_q = {-2.5F};
  for (std::uint32_t label = 0; label < 5; ++label) {
    Numbers scores;
    for (std::uint32_t i = 0; i < 5; ++i) {
      scores.push_back(3.0F * static_cast<float>(random.normal(label, i)));
    }
    for (const float weight : {1.0F, 4.0F}) {
      Shortlist shortlist = {4, 1, label, log_q.data()};
      shortlist.noise_weight = weight;
      const Result pooled = result_of(PooledNoises(), shortlist, scores);
      const Result separate = result_of(CandidatesVsNoises(), shortlist, scores);
      EXPECT_NEAR(pooled.loss, separate.loss, 2e-6F);
      for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_NEAR(pooled.gradient[i], separate.gradient[i], 2e-6F);
      }
    }
  }
}

TEST(PooledNoises, WithEveryClassListedAreTheSoftmax) {
  const Numbers scores = {0.3F, -1.0F, 2.0F, 0.0F};
  const Numbers log_q(4, std::log(0.25F));
  const Result softmax = result_of(Softmax(), {4, 0, 2, nullptr}, scores);
  // As candidates; as slots; some as candidates and the others as slots, whose q is of the rest.
  const Numbers log_half(2, std::log(0.5F));
  for (const Shortlist& shortlist : {Shortlist{4, 0, 2, nullptr}, Shortlist{0, 4, 2, log_q.data()},
                                     Shortlist{2, 2, 2, log_half.data()}}) {
    const Result pooled = result_of(PooledNoises(), shortlist, scores);
    EXPECT_NEAR(pooled.loss, softmax.loss, 1e-6F);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(pooled.gradient[i], softmax.gradient[i], 1e-6F);
    }
  }
}

Matrix gradient_covariance(const Estimator<PooledNoises>& estimator, const Vector& truth) {
  Matrix sum(truth.size());
  for (const Possibility& outcome : estimator.outcomes()) {
    Vector g(sum.size, 0.0);
    estimator.add_gradient(outcome, scores_at(free_scores(kProbabilities.size(), true), 0, truth),
                           1.0, &g);
    for (std::size_t a = 0; a < g.size(); ++a) {
      for (std::size_t b = 0; b < g.size(); ++b) sum(a, b) += outcome.probability * g[a] * g[b];
    }
  }
  return sum;
}

// It is a likelihood: its Hessian is the covariance of its gradients, and the inverse of that the
// covariance of the estimate. It grows with the slots, to that of the softmax.
TEST(PooledNoises, InformationGrowsWithTheSlots) {
  const std::size_t classes = kProbabilities.size();
  Vector truth = log_of(kProbabilities);
  const double last = truth.back();
  truth.pop_back();
  for (double& value : truth) value -= last;
  const Matrix full =
      Estimator(Softmax(), free_scores(classes, true), all_classes(kProbabilities)).hessian(truth);
  for (const Classes& candidates : {Classes{}, Classes{1}, Classes{0, 2}}) {
    double before = 0.0;
    for (const std::uint32_t slots : {1U, 2U, 4U, 6U}) {
      if (candidates.empty() && slots == 1) continue;  // the label alone teaches nothing
      const Estimator estimator(
          PooledNoises(), free_scores(classes, true),
          candidates_against_slots(kProbabilities, kLaw, candidates, slots, slots - 1));
      const Matrix information = estimator.hessian(truth);
      const Matrix covariance = gradient_covariance(estimator, truth);
      double trace = 0.0;
      for (std::size_t a = 0; a < truth.size(); ++a) {
        trace += information(a, a) / full(a, a);
        for (std::size_t b = 0; b < truth.size(); ++b) {
          EXPECT_NEAR(covariance(a, b), information(a, b), 2e-5);
        }
      }
      EXPECT_GT(trace, before + 0.05);
      EXPECT_LT(trace, 4.0);
      before = trace;
    }
    EXPECT_GT(before, 3.0);
  }
}

TEST(PooledNoises, DrawnOnlySometimesGiveTheSameExpectation) {
  const Numbers log_q = {-1.2F, -0.3F};
  const Numbers scores = {0.4F, -0.1F, 1.0F, -0.7F, 0.2F};
  constexpr float kShare = 0.25F;
  Shortlist drawn = {3, 2, 1, log_q.data()};
  const Result always = result_of(PooledNoises(), drawn, scores);
  drawn.noise_weight = 1.0F / kShare;
  const Result with = result_of(PooledNoises(), drawn, scores);
  Result without = result_of(PooledNoises(), {3, 0, 1, log_q.data()},
                             Numbers(scores.begin(), scores.begin() + 3));
  EXPECT_NEAR(kShare * with.loss + (1.0F - kShare) * without.loss, always.loss, 1e-6F);
  without.gradient.resize(5, 0.0F);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(kShare * with.gradient[i] + (1.0F - kShare) * without.gradient[i],
                always.gradient[i], 1e-6F);
  }
}

TEST(PooledNoises, SurviveScoresOfTenThousandAndSlotsThatAreAllDead) {
  const Numbers log_q = {-5.0F, -5.0F};
  const Numbers dead = {kDead, kDead};
  for (const Numbers& scores :
       {Numbers{1e4F, -1e4F, 0.0F, 1e4F}, Numbers{-1e4F, -1e4F, -1e4F, -1e4F},
        Numbers{1e4F, 1e4F, 1e4F, 1e4F}, Numbers{-1e4F, -1e4F, 1e4F, 1e4F}}) {
    for (const std::uint32_t label : {0U, 2U}) {
      for (const Numbers& law : {log_q, dead}) {
        if (label == 2 && law == dead) continue;
        const Result result = result_of(PooledNoises(), {2, 2, label, law.data()}, scores);
        EXPECT_TRUE(std::isfinite(result.loss));
        float sum = 0.0F;
        for (const float value : result.gradient) {
          EXPECT_TRUE(std::isfinite(value));
          sum += value;
        }
        EXPECT_NEAR(sum, 0.0F, 1e-5F);
      }
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
