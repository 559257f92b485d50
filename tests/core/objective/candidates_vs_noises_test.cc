#include "core/objective/candidates_vs_noises.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/objective/enumerated_problem.h"
#include "core/objective/estimate.h"

namespace cane {
namespace CANE_THIS_FILE {

using Numbers = std::vector<float>;

float loss_of(const Shortlist& shortlist, const Numbers& scores, Numbers* gradient = nullptr) {
  Numbers scratch(scores.size());
  const float loss = CandidatesVsNoises()(shortlist, scores.data(), scratch.data());
  if (gradient != nullptr) *gradient = scratch;
  return loss;
}

TEST(CandidatesVsNoises, GradientAgreesWithFiniteDifferences) {
  const Numbers log_q = {-1.2F, -0.3F, -2.5F};
  struct Case {
    std::uint32_t candidates, noises, label_at;
  };
  for (const Case& c :
       {Case{3, 3, 1}, Case{3, 1, 0}, Case{4, 1, 4}, Case{1, 2, 0}, Case{5, 0, 2}}) {
    const Shortlist shortlist = {c.candidates, c.noises, c.label_at, log_q.data()};
    Numbers scores;
    for (std::uint32_t i = 0; i < shortlist.size(); ++i) {
      scores.push_back(std::sin(3.0F * static_cast<float>(i)));
    }
    Numbers gradient;
    loss_of(shortlist, scores, &gradient);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      constexpr float kStep = 1e-2F;
      Numbers up = scores;
      Numbers down = scores;
      up[i] += kStep;
      down[i] -= kStep;
      const float difference = (loss_of(shortlist, up) - loss_of(shortlist, down)) / (2 * kStep);
      EXPECT_NEAR(gradient[i], difference, 2e-4F);
    }
  }
}

TEST(CandidatesVsNoises, WithEveryClassACandidateItIsTheSoftmax) {
  const Numbers scores = {0.3F, -1.0F, 2.0F, 0.0F};
  Numbers gradient;
  const float loss = loss_of({4, 0, 2, nullptr}, scores, &gradient);
  double normalizer = 0.0;
  for (const float score : scores) normalizer += std::exp(static_cast<double>(score));
  EXPECT_NEAR(loss, std::log(normalizer) - 2.0, 1e-6);
  for (std::size_t k = 0; k < 4; ++k) {
    const double probability = std::exp(static_cast<double>(scores[k])) / normalizer;
    EXPECT_NEAR(gradient[k], probability - (k == 2 ? 1.0 : 0.0), 1e-6);
  }
}

TEST(CandidatesVsNoises, AveragesTheTermsOfSeveralNoisesInsteadOfPoolingThem) {
  const Numbers log_q = {std::log(0.5F), std::log(0.25F)};
  const Numbers scores = {0.0F, 1.0F, -1.0F};
  const double averaged =
      0.5 * std::log(1 + std::exp(1.0) / 0.5) + 0.5 * std::log(1 + std::exp(-1.0) / 0.25);
  const double pooled = std::log(1 + 0.5 * (std::exp(1.0) / 0.5 + std::exp(-1.0) / 0.25));
  const float loss = loss_of({1, 2, 0, log_q.data()}, scores);
  EXPECT_NEAR(loss, averaged, 1e-6);
  EXPECT_GT(std::abs(averaged - pooled), 0.1);
}

TEST(CandidatesVsNoises, NoisesDrawnOnlySometimesGiveTheSameExpectation) {
  const Numbers log_q = {-1.2F, -0.3F};
  const Numbers scores = {0.4F, -0.1F, 1.0F, -0.7F, 0.2F};
  Numbers always;
  const float loss = loss_of({3, 2, 1, log_q.data()}, scores, &always);
  constexpr float kShare = 0.25F;
  Shortlist drawn = {3, 2, 1, log_q.data()};
  drawn.noise_weight = 1.0F / kShare;
  Numbers with;
  Numbers without;
  const float loss_with = loss_of(drawn, scores, &with);
  const float loss_without =
      loss_of({3, 0, 1, log_q.data()}, Numbers(scores.begin(), scores.begin() + 3), &without);
  EXPECT_NEAR(kShare * loss_with + (1.0F - kShare) * loss_without, loss, 1e-6F);
  without.resize(5, 0.0F);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(kShare * with[i] + (1.0F - kShare) * without[i], always[i], 1e-6F) << i;
  }
}

TEST(CandidatesVsNoises, SurvivesScoresOfTenThousand) {
  const Numbers log_q = {-5.0F, -5.0F};
  for (const Numbers& scores :
       {Numbers{1e4F, -1e4F, 0.0F, 1e4F}, Numbers{-1e4F, -1e4F, -1e4F, -1e4F},
        Numbers{1e4F, 1e4F, 1e4F, 1e4F}, Numbers{-1e4F, -1e4F, 1e4F, 1e4F}}) {
    for (std::uint32_t label = 0; label < 3; ++label) {
      Numbers gradient;
      const std::uint32_t noises = label == 2 ? 1 : 2;
      const float loss = loss_of({2, noises, label, log_q.data()},
                                 Numbers(scores.begin(), scores.begin() + 2 + noises), &gradient);
      EXPECT_TRUE(std::isfinite(loss));
      float sum = 0.0F;
      for (const float value : gradient) {
        EXPECT_TRUE(std::isfinite(value));
        sum += value;
      }
      EXPECT_NEAR(sum, 0.0F, 1e-5F);
    }
  }
}

// Theorem 1 by enumeration of labels and noises, for every candidate set.
TEST(CandidatesVsNoises, ExpectedGradientIsZeroAtTheTrueLogOdds) {
  const Vector probabilities[] = {
      {0.7, 0.3}, {0.5, 0.2, 0.3}, {0.1, 0.2, 0.3, 0.4}, {0.4, 0.05, 0.15, 0.1, 0.1, 0.2}};
  for (const Vector& p : probabilities) {
    Vector truth;
    for (const double value : p) truth.push_back(std::log(value));
    for (Vector weights : {Vector{1, 1, 1, 1, 1, 1}, Vector{5, 1, 2, 0.5, 3, 1}}) {
      weights.resize(p.size());
      // The empty set is left out: without any candidate there is nothing to learn from.
      for (std::uint32_t mask = 1; mask < 1U << p.size(); ++mask) {
        Classes candidates;
        for (std::uint32_t k = 0; k < p.size(); ++k) {
          if ((mask >> k & 1U) != 0) candidates.push_back(k);
        }
        for (const std::uint32_t noises : {1U, 2U, 3U}) {
          const Estimator expectation(CandidatesVsNoises(), free_scores(p.size(), false),
                                      candidates_against_noises(p, weights, candidates, noises));
          for (const double value : expectation.gradient(truth)) {
            ASSERT_NEAR(value, 0.0, 1e-6) << "candidates " << mask << ", noises " << noises;
          }
        }
      }
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
