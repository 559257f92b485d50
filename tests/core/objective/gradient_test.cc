// Every objective against its definition written out in double: the loss itself, and its gradient
// against finite differences of the definition, over random shortlists and at extreme scores.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/objective/enumerated_problem.h"
#include "methods/with_objective.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr std::uint32_t kClasses = 6;

class EveryObjective : public ::testing::TestWithParam<Method> {};

double log_sum(const Vector& terms) {
  double high = terms[0];
  for (const double term : terms) high = std::max(high, term);
  double sum = 0.0;
  for (const double term : terms) sum += std::exp(term - high);
  return high + std::log(sum);
}

double minus_log_sigmoid(double x) {
  return log_sum({0.0, -x});
}

double blackout(const Vector& logits) {
  const double all = log_sum(logits);
  double loss = all - logits[0];
  for (std::size_t j = 1; j < logits.size(); ++j) {
    Vector others = logits;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(j));
    loss -= log_sum(others) - all;
  }
  return loss;
}

double definition(Method kind, const Possibility& outcome, const Vector& class_scores) {
  Vector candidates;
  Vector noises;
  for (std::size_t i = 0; i < outcome.classes.size(); ++i) {
    (i < outcome.candidates ? candidates : noises).push_back(class_scores[outcome.classes[i]]);
  }
  const double label = class_scores[outcome.classes[outcome.label_at]];
  const auto count = static_cast<double>(noises.size());
  double loss = 0.0;
  Vector terms = candidates;
  switch (kind) {
    case Method::kSoftmax:
      return log_sum(candidates) - label;
    case Method::kCane:
      if (noises.empty()) return log_sum(candidates) - label;
      for (std::size_t j = 0; j < noises.size(); ++j) {
        terms.push_back(noises[j] - double{outcome.log_q[j]});
        loss += (log_sum(terms) - label) / count;
        terms.pop_back();
      }
      return loss;
    case Method::kNce:
      loss = minus_log_sigmoid(label - std::log(count) - double{outcome.label_log_q});
      for (std::size_t j = 0; j < noises.size(); ++j) {
        loss += minus_log_sigmoid(std::log(count) + double{outcome.log_q[j]} - noises[j]);
      }
      return loss;
    case Method::kNeg:
      loss = minus_log_sigmoid(label);
      for (const double noise : noises) loss += minus_log_sigmoid(-noise);
      return loss;
    case Method::kBlackout:
      terms[0] -= double{outcome.label_log_q};
      for (std::size_t j = 0; j < noises.size(); ++j) {
        terms.push_back(noises[j] - double{outcome.log_q[j]});
      }
      return blackout(terms);
    case Method::kOve:
      for (const double noise : noises) loss += minus_log_sigmoid(label - noise);
      return loss * (kClasses - 1) / count;
    case Method::kCss:
      for (const double noise : noises) terms.push_back(noise + std::log((kClasses - 1) / count));
      return log_sum(terms) - label;
    default:
      ADD_FAILURE() << "an objective without a definition to compare it with";
  }
  return loss;
}

// A shortlist such as the objective gets in training. Noises repeat; where the method draws with
// nothing excluded, the label is among them now and then.
Possibility random_outcome(Method kind, std::uint64_t number) {
  const CounterRandom random(11, RandomPurpose::kNoise);
  std::uint32_t draw = 0;
  const auto below = [&](std::uint32_t bound) {
    return static_cast<std::uint32_t>(random.below(bound, number, draw++));
  };
  Classes order;
  for (std::uint32_t k = 0; k < kClasses; ++k) {
    order.insert(order.begin() + below(k + 1), k);
  }
  std::uint32_t candidates = 1;
  if (kind == Method::kSoftmax) candidates = kClasses;
  if (kind == Method::kCane) candidates = 1 + below(kClasses);
  Classes inside(order.begin(), order.begin() + candidates);
  Classes outside(order.begin() + candidates, order.end());
  if (candidates == 1 && !row_of(kind).excludes_label && kind != Method::kCane) {
    outside.push_back(order[0]);
  }
  Classes drawn;
  bool label_is_noise = false;
  if (!outside.empty()) {
    label_is_noise = kind == Method::kCane && below(3) == 0;
    const std::uint32_t noises = label_is_noise ? 1 : 1 + below(7);
    for (std::uint32_t j = 0; j < noises; ++j) {
      drawn.push_back(outside[below(static_cast<std::uint32_t>(outside.size()))]);
    }
  }
  const Vector q = law_outside({1.0, 5.0, 0.2, 2.0, 1.0, 0.01}, {});
  Possibility outcome = make_outcome(1.0, inside, drawn, q);
  outcome.label_at = label_is_noise ? candidates : below(candidates);
  outcome.label_log_q = static_cast<float>(std::log(q[outcome.classes[outcome.label_at]]));
  return outcome;
}

// Compares loss and gradient, the gradient added up for each class, with the definition.
void expect_agreement(Method kind, const Possibility& outcome, const Vector& class_scores,
                      double loss_tolerance, double gradient_tolerance) {
  std::vector<float> scores;
  for (const std::uint32_t k : outcome.classes) {
    scores.push_back(static_cast<float>(class_scores[k]));
  }
  std::vector<float> gradient(scores.size(), NAN);
  const float loss = with_objective(kind, kClasses, [&](const auto& objective) {
    return objective(outcome.shortlist(), scores.data(), gradient.data());
  });
  const double expected = definition(kind, outcome, class_scores);
  ASSERT_NEAR(loss, expected, loss_tolerance * (1.0 + expected));

  Vector class_gradient(kClasses, 0.0);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    ASSERT_TRUE(std::isfinite(gradient[i]));
    class_gradient[outcome.classes[i]] += double{gradient[i]};
  }
  for (std::size_t k = 0; k < kClasses; ++k) {
    constexpr double kStep = 1e-4;
    Vector up = class_scores;
    Vector down = class_scores;
    up[k] += kStep;
    down[k] -= kStep;
    const double difference =
        (definition(kind, outcome, up) - definition(kind, outcome, down)) / (2 * kStep);
    ASSERT_NEAR(class_gradient[k], difference, gradient_tolerance) << "class " << k;
  }
}

TEST_P(EveryObjective, AgreesWithItsDefinitionAndFiniteDifferencesOverRandomShortlists) {
  const CounterRandom random(12, RandomPurpose::kSynthetic);
  for (std::uint64_t number = 0; number < 300; ++number) {
    SCOPED_TRACE(number);
    Vector scores(kClasses);
    for (std::uint32_t k = 0; k < kClasses; ++k) {
      scores[k] = double{static_cast<float>(3.0 * random.normal(number, k))};
    }
    expect_agreement(GetParam(), random_outcome(GetParam(), number), scores, 2e-6, 5e-6);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EveryObjective, AgreesWithItsDefinitionAtScoresOfTenThousand) {
  const CounterRandom random(13, RandomPurpose::kSynthetic);
  constexpr double kLevels[] = {-1e4, -9999.0, -30.0, 0.0, 30.0, 9999.0, 1e4};
  for (std::uint64_t number = 0; number < 1000; ++number) {
    SCOPED_TRACE(number);
    Vector scores(kClasses);
    for (std::uint32_t k = 0; k < kClasses; ++k) scores[k] = kLevels[random.below(7, number, k)];
    // Floats near ten thousand are a thousandth apart: that much a shifted score is off.
    expect_agreement(GetParam(), random_outcome(GetParam(), number), scores, 2e-3, 5e-3);
    if (HasFatalFailure()) return;
  }
}

std::vector<Method> every_objective() {
  std::vector<Method> methods;
  for (const MethodRow& row : kMethods) {
    if (row.has_objective) methods.push_back(row.kind);
  }
  return methods;
}

INSTANTIATE_TEST_SUITE_P(All, EveryObjective, ::testing::ValuesIn(every_objective()),
                         [](const auto& method) {
                           std::string name = row_of(method.param).name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace CANE_THIS_FILE
}  // namespace cane
