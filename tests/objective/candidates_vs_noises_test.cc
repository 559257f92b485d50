#include "objective/candidates_vs_noises.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace cane {
namespace {

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

// Theorem 1 by enumeration: the expectation over the label (from p) and the noises (all draws with
// replacement, from q) of the gradient at the log-odds of p, for every candidate set.
class Enumeration {
 public:
  Enumeration(Numbers probabilities, Numbers noise_weights)
      : p_(std::move(probabilities)), noise_weights_(std::move(noise_weights)) {}

  Numbers expected_gradient(std::uint32_t candidate_mask, std::uint32_t noises) const {
    std::vector<std::uint32_t> inside;
    std::vector<std::uint32_t> outside;
    for (std::uint32_t k = 0; k < p_.size(); ++k) {
      ((candidate_mask >> k & 1U) != 0 ? inside : outside).push_back(k);
    }
    float total_weight = 0.0F;
    for (const std::uint32_t k : outside) total_weight += noise_weights_[k];
    const auto q = [&](std::uint32_t k) { return noise_weights_[k] / total_weight; };

    Numbers expected(p_.size(), 0.0F);
    const auto add = [&](float probability, const std::vector<std::uint32_t>& drawn,
                         std::uint32_t label) {
      std::vector<std::uint32_t> classes = inside;
      classes.insert(classes.end(), drawn.begin(), drawn.end());
      Numbers log_q;
      Numbers scores;
      for (const std::uint32_t k : drawn) log_q.push_back(std::log(q(k)));
      std::uint32_t label_at = 0;
      for (std::uint32_t i = 0; i < classes.size(); ++i) {
        scores.push_back(std::log(p_[classes[i]]));
        if (classes[i] == label) label_at = i;
      }
      Numbers gradient;
      loss_of({static_cast<std::uint32_t>(inside.size()), static_cast<std::uint32_t>(drawn.size()),
               label_at, log_q.data()},
              scores, &gradient);
      for (std::size_t i = 0; i < classes.size(); ++i) {
        expected[classes[i]] += probability * gradient[i];
      }
    };
    for (const std::uint32_t label : outside) add(p_[label], {label}, label);
    for (const std::uint32_t label : inside) {
      std::vector<std::uint32_t> drawn;
      const std::function<void(float)> draw = [&](float probability) {
        if (outside.empty() || drawn.size() == noises) {
          add(probability * p_[label], drawn, label);
          return;
        }
        for (const std::uint32_t k : outside) {
          drawn.push_back(k);
          draw(probability * q(k));
          drawn.pop_back();
        }
      };
      draw(1.0F);
    }
    return expected;
  }

 private:
  Numbers p_;
  Numbers noise_weights_;
};

TEST(CandidatesVsNoises, ExpectedGradientIsZeroAtTheTrueLogOdds) {
  const Numbers probabilities[] = {{0.7F, 0.3F},
                                   {0.5F, 0.2F, 0.3F},
                                   {0.1F, 0.2F, 0.3F, 0.4F},
                                   {0.4F, 0.05F, 0.15F, 0.1F, 0.1F, 0.2F}};
  const Numbers noise_weights[] = {{1, 1, 1, 1, 1, 1}, {5, 1, 2, 0.5F, 3, 1}};
  for (const Numbers& p : probabilities) {
    for (const Numbers& weights : noise_weights) {
      const Enumeration enumeration(p, weights);
      // The empty set is left out: without any candidate there is nothing to learn from.
      for (std::uint32_t mask = 1; mask < 1U << p.size(); ++mask) {
        for (const std::uint32_t noises : {1U, 2U, 3U}) {
          for (const float value : enumeration.expected_gradient(mask, noises)) {
            ASSERT_NEAR(value, 0.0F, 2e-6F) << "candidates " << mask << ", noises " << noises;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace cane
