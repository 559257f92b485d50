// Consistency by enumeration: over a tiny vocabulary every label, every draw of noises and every
// batch is gone through with its probability. At the true scores the expected gradient must be
// zero, whatever the candidates are.
#include <gtest/gtest.h>

#include <functional>

#include "lm/sampled/plain_loss.h"
#include "lm/sampled/shortlist_maker.h"

namespace cane::lm {
namespace CANE_THIS_FILE {

constexpr std::int64_t kWords = 5;
const std::vector<std::uint64_t> kCounts = {3, 8, 1, 5, 2};
const std::vector<double> kTruth = {0.3, 0.1, 0.25, 0.15, 0.2};
constexpr std::int64_t kContext = 3;

torch::Tensor no_step() {
  return torch::zeros({}, torch::kInt64);
}

/// Calls visit(words, probability) for every ordered draw of `count` words from the law.
void for_all_draws(const ShortlistMaker& maker, std::int64_t count,
                   const std::function<void(const std::vector<int>&, double)>& visit) {
  const torch::Tensor masses = maker.masses_of(torch::full({1}, kContext, torch::kInt64),
                                               torch::arange(kWords, torch::kInt64).unsqueeze(0));
  std::vector<int> drawn;
  const std::function<void(double)> next = [&](double probability) {
    if (static_cast<std::int64_t>(drawn.size()) == count) {
      visit(drawn, probability);
      return;
    }
    for (int word = 0; word < kWords; ++word) {
      const auto mass = masses[0][word].item<double>();
      if (mass == 0.0) continue;
      drawn.push_back(word);
      next(probability * mass);
      drawn.pop_back();
    }
  };
  if (masses.sum().item<double>() == 0.0) {
    visit(std::vector<int>(static_cast<std::size_t>(count), static_cast<int>(kNoWord)), 1.0);
  } else {
    next(1.0);
  }
}

struct Problem {
  SampledOptions options;
  torch::Tensor own;
  Method kind = Method::kCane;
  std::function<void(Shortlists&)> spoil = [](Shortlists&) {};
  bool pooled = false;
};

BigramCounts some_bigrams() {
  std::vector<std::uint32_t> tokens;
  for (const std::uint32_t word : {0U, 0U, 0U, 0U, 2U, 2U, 2U, 4U, 4U, 1U, 1U}) {
    tokens.push_back(kContext);
    tokens.push_back(word);
  }
  return count_bigrams(tokens, kWords);
}

/// One token: the expected gradient in the score of each word, at scores log p + constant.
torch::Tensor expected_gradient(const Problem& problem, double constant = 0.0) {
  const BigramCounts bigrams = some_bigrams();
  ShortlistMaker maker(problem.options, kCounts, &bigrams, 1, torch::kCPU);
  const auto truth = torch::tensor(kTruth, torch::kFloat64);
  RowTables tables{(truth.log() + constant).to(torch::kFloat32).unsqueeze(1),
                   torch::zeros({kWords})};
  auto sum = torch::zeros({kWords}, torch::kFloat64);
  for (std::int64_t label = 0; label < kWords; ++label) {
    const FlatBatch batch{torch::full({1}, kContext, torch::kInt64),
                          torch::full({1}, label, torch::kInt64), 1};
    for_all_draws(
        maker, problem.options.noises, [&](const std::vector<int>& drawn, double probability) {
          auto noises = torch::tensor(drawn, torch::kInt64);
          Shortlists lists = maker.make_with_noises(batch, problem.own, no_step(), noises);
          problem.spoil(lists);
          torch::Tensor gradient;
          if (problem.pooled) {
            auto scores = tables.weight.squeeze(1).to(torch::kFloat64).requires_grad_();
            plain_token_loss(lists, 0, label, scores, problem.kind, true).backward();
            gradient = scores.grad();
          } else {
            auto sink = std::make_shared<RowGradientSink>();
            auto hidden = torch::ones({1, 1}).requires_grad_();
            sampled_loss(hidden, tables, {}, lists, problem.kind, sink).backward();
            gradient = dense_gradient(*sink, tables.weight).squeeze(1).to(torch::kFloat64);
          }
          sum += kTruth[static_cast<std::size_t>(label)] * probability * gradient;
        });
  }
  return sum;
}

double largest(const torch::Tensor& gradient) {
  return gradient.abs().max().item<double>();
}

constexpr double kZero = 2e-6;
constexpr double kClearlyNot = 5e-3;

Problem cane(const std::string& selection, NoiseLawKind noise, bool shared, std::int64_t noises) {
  Problem problem;
  problem.options.selection = parse_selection(selection);
  problem.options.noise = noise;
  problem.options.power = 0.7F;
  problem.options.shared_noises = shared;
  problem.options.noises = noises;
  problem.options.frequent = 2;
  problem.options.candidates = 2;
  problem.options.subsets = 2;
  const OwnCandidates own = problem.options.selection.own;
  if (own == OwnCandidates::kSubset) problem.own = torch::ones({1}, torch::kInt64);
  if (own == OwnCandidates::kLowRank) problem.own = torch::tensor({{4, 1}}, torch::kInt64);
  return problem;
}

TEST(SampledConsistency, EverySelectionAndLawHasNoExpectedGradientAtTheTruth) {
  for (const char* selection : {"frequent", "subset", "low-rank", "ngram", "frequent+ngram",
                                "frequent+low-rank", "frequent+subset"}) {
    for (const NoiseLawKind noise : {NoiseLawKind::kUniform, NoiseLawKind::kUnigram}) {
      for (const bool shared : {true, false}) {
        for (const std::int64_t noises : {1, 2}) {
          const Problem problem = cane(selection, noise, shared, noises);
          EXPECT_LT(largest(expected_gradient(problem, 0.4)), kZero)
              << selection << " noises " << noises << " shared " << shared;
        }
      }
    }
  }
}

TEST(SampledConsistency, NoisesFromTheNgramModelHaveNoExpectedGradientAtTheTruth) {
  for (const char* selection : {"ngram", "frequent+ngram"}) {
    EXPECT_LT(largest(expected_gradient(cane(selection, NoiseLawKind::kNgram, false, 2))), kZero);
  }
}

TEST(SampledConsistency, WithEveryWordACandidateItIsTheSoftmax) {
  Problem problem = cane("frequent", NoiseLawKind::kUniform, true, 1);
  problem.options.frequent = kWords;
  EXPECT_LT(largest(expected_gradient(problem)), kZero);
  problem = cane("frequent+ngram", NoiseLawKind::kUniform, true, 1);
  problem.options.candidates = kWords;
  EXPECT_LT(largest(expected_gradient(problem)), kZero);
}

TEST(SampledConsistency, PoolingTheNoisesInOneLogarithmIsToldApart) {
  Problem problem = cane("frequent", NoiseLawKind::kUnigram, true, 2);
  problem.options.power = 2.0F;
  EXPECT_LT(largest(expected_gradient(problem)), kZero);
  problem.pooled = true;
  EXPECT_GT(largest(expected_gradient(problem)), kClearlyNot);
}

TEST(SampledConsistency, ProbabilitiesThatIgnoreTheCandidatesAreToldApart) {
  Problem problem = cane("low-rank", NoiseLawKind::kUnigram, false, 1);
  problem.spoil = [](Shortlists& lists) {
    lists.listed.log_q = lists.listed.log_q - 0.5;
    lists.listed.label_log_q = lists.listed.label_log_q - 0.5;
  };
  EXPECT_GT(largest(expected_gradient(problem)), kClearlyNot);
}

TEST(SampledConsistency, LeavingOutTokensByTheirLabelIsToldApart) {
  Problem problem = cane("low-rank", NoiseLawKind::kUnigram, false, 1);
  problem.spoil = [](Shortlists& lists) {
    if (is_outside(lists, 0)) lists.left_out.fill_(false);
  };
  EXPECT_GT(largest(expected_gradient(problem)), kClearlyNot);
}

TEST(SampledConsistency, LabelAgainstNoisesHasItsKnownOptimum) {
  for (const bool shared : {true, false}) {
    Problem problem;
    problem.options.shared_noises = shared;
    problem.options.noises = 2;
    problem.options.method = Method::kNce;
    problem.kind = Method::kNce;
    EXPECT_LT(largest(expected_gradient(problem)), kZero);
    problem.options.method = Method::kBlackout;
    problem.kind = Method::kBlackout;
    EXPECT_LT(largest(expected_gradient(problem, 1.5)), kZero);
  }
}

// A batch of two streams and two steps from a Markov chain: labels of a stream tell of each other.
double batch_gradient(const std::string& selection, std::int64_t claimed_streams) {
  constexpr std::int64_t kTypes = 3;
  const auto chain =
      torch::tensor({{0.6, 0.3, 0.1}, {0.1, 0.2, 0.7}, {0.5, 0.1, 0.4}}, torch::kFloat64);
  SampledOptions options;
  options.selection = parse_selection(selection);
  options.noises = 1;
  options.noise = NoiseLawKind::kUniform;
  options.frequent = 1;
  ShortlistMaker maker(options, std::vector<std::uint64_t>{4, 3, 2}, nullptr, 1, torch::kCPU);
  RowTables tables{chain.t().log().to(torch::kFloat32).contiguous(), torch::zeros({kTypes})};
  auto sum = torch::zeros({kTypes, kTypes}, torch::kFloat64);
  const auto p = [&](std::int64_t from, std::int64_t to) { return chain[from][to].item<double>(); };
  for (std::int64_t code = 0; code < 81; ++code) {
    const std::int64_t a = code % 3, b = code / 3 % 3, c = code / 9 % 3, d = code / 27;
    // Streams begin after words 0 and 1; the first says a, c, the second b, d.
    const FlatBatch batch{torch::tensor({std::int64_t{0}, std::int64_t{1}, a, b}),
                          torch::tensor({a, b, c, d}), claimed_streams};
    const double probability = p(0, a) * p(1, b) * p(a, c) * p(b, d);
    for (std::int64_t noise = 0; noise < kTypes; ++noise) {
      const auto mass = maker.law_masses()[noise].item<double>();
      if (mass == 0.0) continue;
      const Shortlists lists =
          maker.make_with_noises(batch, {}, no_step(), torch::full({1}, noise, torch::kInt64));
      auto sink = std::make_shared<RowGradientSink>();
      auto hidden = torch::one_hot(batch.contexts, kTypes).to(torch::kFloat32).requires_grad_();
      sampled_loss(hidden, tables, {}, lists, Method::kCane, sink).backward();
      sum += probability * mass * dense_gradient(*sink, tables.weight).to(torch::kFloat64);
    }
  }
  return largest(sum);
}

TEST(SampledConsistency, LabelsOfTheBatchDoNotTellOfTheLabel) {
  EXPECT_LT(batch_gradient("batch", 2), kZero);
  EXPECT_LT(batch_gradient("frequent+batch", 2), kZero);
}

TEST(SampledConsistency, LaterLabelsOfTheSameStreamWouldTellOfTheLabel) {
  // If every token is a stream of its own, later labels of the same text are candidates, too.
  EXPECT_GT(batch_gradient("batch", 4), kClearlyNot);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::lm
