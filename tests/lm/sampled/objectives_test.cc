// The objectives of a batch against the functors of src/core/objective, token by token.
#include "lm/sampled/objectives.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>
#include <vector>

#include "methods/with_objective.h"

namespace cane::lm {
namespace CANE_THIS_FILE {

constexpr std::int64_t kTokens = 40;
constexpr std::int64_t kNoises = 7;
constexpr std::int64_t kClasses = 31;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Columns [noises | label | candidates], or [label | candidates | noises].
ListedColumns columns_of(std::int64_t candidates, bool noises_first) {
  ListedColumns listed;
  listed.classes = kClasses;
  listed.noises = kNoises;
  listed.candidates = candidates;
  listed.label_column = noises_first ? kNoises : 0;
  listed.first_candidate = listed.label_column + 1;
  listed.first_noise = noises_first ? 0 : 1 + candidates;
  return listed;
}

struct Expected {
  float loss;
  std::vector<float> gradient;
};

/// The functor's candidates come first: the label, or for cane the candidates.
Expected by_functor(Method method, const ListedColumns& listed, const torch::Tensor& scores,
                    std::int64_t token) {
  const auto score = [&](std::int64_t column) { return scores[token][column].item<float>(); };
  const auto label_at = listed.label_at[token].item<std::int64_t>();
  const bool is_outside = label_at == listed.label_column;
  std::vector<std::int64_t> order;
  std::vector<float> log_q;
  Shortlist shortlist;
  if (method == Method::kCane) {
    for (std::int64_t i = 0; i < listed.candidates; ++i) {
      order.push_back(listed.first_candidate + i);
      if (order.back() == label_at) shortlist.label_at = static_cast<std::uint32_t>(i);
    }
  } else {
    order.push_back(listed.label_column);
  }
  shortlist.candidates = static_cast<std::uint32_t>(order.size());
  shortlist.label_log_q = listed.label_log_q[token].item<float>();
  if (method == Method::kCane && is_outside) {
    shortlist.label_at = shortlist.candidates;
    order.push_back(listed.label_column);
    log_q.push_back(shortlist.label_log_q);
  } else {
    for (std::int64_t j = 0; j < listed.noises; ++j) {
      order.push_back(listed.first_noise + j);
      log_q.push_back(listed.log_q[token][j].item<float>());
    }
    shortlist.absent = static_cast<std::uint32_t>(kNoises - listed.drawn[token].item<float>());
  }
  shortlist.noises = static_cast<std::uint32_t>(log_q.size());
  shortlist.log_q = log_q.data();
  std::vector<float> values;
  for (const std::int64_t column : order) values.push_back(score(column));
  Expected expected{0.0F, std::vector<float>(static_cast<std::size_t>(scores.size(1)), 0.0F)};
  std::vector<float> gradient(values.size());
  expected.loss = with_objective(method, kClasses, [&](const auto& objective) {
    return objective(shortlist, values.data(), gradient.data());
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    expected.gradient[static_cast<std::size_t>(order[i])] = gradient[i];
  }
  return expected;
}

void expect_functor(Method method, ListedColumns listed, double spread) {
  const bool has_candidates = method == Method::kCane;
  const torch::Tensor scores = torch::randn({kTokens, listed.candidates + 1 + kNoises}) * spread;
  listed.label_at = torch::full({kTokens}, listed.label_column, torch::kInt64);
  listed.label_log_q = -torch::rand({kTokens}) * 5.0;
  listed.log_q = -torch::rand({kTokens, kNoises}) * 5.0;
  if (has_candidates) {
    // Every other label is a candidate; noises of some tokens are candidates, too.
    const torch::Tensor inside = torch::arange(kTokens, torch::kInt64).remainder(2) == 0;
    listed.label_at.masked_fill_(inside, listed.first_candidate + listed.candidates - 1);
    listed.label_log_q.masked_fill_(inside, kInfinity);
    scores.select(1, listed.label_column).masked_fill_(inside, -kInfinity);
    scores.select(1, listed.first_candidate).slice(0, 0, kTokens, 5).fill_(-kInfinity);
  }
  if (has_candidates || row_of(method).excludes_label) {
    const torch::Tensor absent = torch::rand({kTokens, kNoises}) < 0.3;
    absent.select(1, 3).fill_(false);
    listed.log_q.masked_fill_(absent, kInfinity);
    if (!has_candidates) {
      scores.narrow(1, listed.first_noise, kNoises).masked_fill_(absent, -kInfinity);
    }
  }
  listed.drawn = (listed.log_q < kInfinity).sum(1).to(torch::kFloat32);
  const torch::Tensor gradient = scores.clone();
  const torch::Tensor losses = losses_to_gradients(method, listed, gradient);
  for (std::int64_t token = 0; token < kTokens; ++token) {
    const Expected expected = by_functor(method, listed, scores, token);
    const float precision = 2e-5F * std::max(1.0F, std::abs(expected.loss));
    EXPECT_NEAR(losses[token].item<float>(), expected.loss, precision) << "token " << token;
    for (std::int64_t i = 0; i < scores.size(1); ++i) {
      EXPECT_NEAR(gradient[token][i].item<float>(), expected.gradient[static_cast<std::size_t>(i)],
                  precision)
          << "token " << token << " column " << i;
    }
  }
}

TEST(SampledObjectives, AreThoseOfTheFunctors) {
  torch::manual_seed(11);
  for (const Method method :
       {Method::kCane, Method::kNce, Method::kNeg, Method::kBlackout, Method::kOve, Method::kCss}) {
    for (const bool noises_first : {false, true}) {
      // Far apart, some probabilities are zero and one.
      for (const double spread : {1.0, 30.0}) {
        SCOPED_TRACE(::testing::Message()
                     << row_of(method).name << " noises first " << noises_first << " " << spread);
        expect_functor(method, columns_of(method == Method::kCane ? 5 : 0, noises_first), spread);
      }
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::lm
