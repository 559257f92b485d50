// Loss and gradients of every method and selection against autograd of the plain formula in
// float64.
#include <gtest/gtest.h>

#include "torch/sampled/sampled_layer.h"
#include "torch/tests/sampled/plain_loss.h"

namespace cane::lm {
namespace {

constexpr std::int64_t kWords = 23;
constexpr std::int64_t kWidth = 5;
constexpr std::int64_t kLength = 3;
constexpr std::int64_t kStreams = 7;

std::vector<std::uint64_t> counts() {
  std::vector<std::uint64_t> values;
  for (std::uint64_t word = 0; word < kWords; ++word) values.push_back(1 + (word * 37) % 50);
  return values;
}

struct Case {
  std::string name;
  SampledOptions options;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const char* selection : {"frequent", "batch", "frequent+batch", "subset", "narrow", "ngram",
                                "frequent+ngram", "ngram+batch", "frequent+narrow+batch"}) {
    for (const bool shared : {true, false}) {
      SampledOptions options;
      options.selection = parse_selection(selection);
      options.frequent = 6;
      options.candidates = 4;
      options.noises = 3;
      options.subsets = 3;
      options.rank = 2;
      options.shared_noises = shared;
      cases.push_back({selection, options});
    }
  }
  cases.back().options.power = 0.0F;
  SampledOptions ngram = cases[12].options;
  ngram.shared_noises = false;
  ngram.noise = NoiseLawKind::kNgram;
  cases.push_back({"ngram noise", ngram});
  for (const char* method : {"nce", "neg", "blackout", "css"}) {
    for (const bool shared : {true, false}) {
      SampledOptions options;
      options.method = parse_method(method);
      options.noises = 5;
      options.shared_noises = shared;
      if (options.method == SampledMethod::kComplementarySum) {
        options.noise = NoiseLawKind::kUniform;
      }
      cases.push_back({method, options});
    }
  }
  return cases;
}

ObjectiveKind kind_of(SampledMethod method) {
  switch (method) {
    case SampledMethod::kNce:
      return ObjectiveKind::kNoiseContrast;
    case SampledMethod::kNegative:
      return ObjectiveKind::kNegativeSampling;
    case SampledMethod::kBlackOut:
      return ObjectiveKind::kBlackOut;
    case SampledMethod::kComplementarySum:
      return ObjectiveKind::kComplementarySum;
    case SampledMethod::kCane:
      break;
  }
  return ObjectiveKind::kCandidatesVsNoises;
}

FlatBatch some_batch() {
  // Few different words, so that many are repeated.
  return {torch::randint(0, kWords, {kLength * kStreams}, torch::kInt64),
          torch::randint(0, kWords, {kLength * kStreams}, torch::kInt64), kStreams};
}

BigramCounts some_bigrams() {
  std::vector<std::uint32_t> tokens;
  for (std::uint32_t i = 0; i < 2000; ++i) tokens.push_back((i * i + i / 7) % kWords);
  return count_bigrams(tokens, kWords);
}

torch::Tensor own_candidates(const SampledOptions& options, std::int64_t tokens) {
  if (options.method != SampledMethod::kCane) return {};
  if (options.selection.own == OwnCandidates::kSubset) {
    return torch::randint(0, options.subsets, {tokens}, torch::kInt64);
  }
  if (options.selection.own == OwnCandidates::kNarrow) {
    return torch::rand({tokens, kWords})
        .argsort(std::int64_t{1})
        .narrow(1, 0, options.candidates)
        .to(torch::kInt32);
  }
  return {};
}

double distance(const torch::Tensor& a, const torch::Tensor& b) {
  return (a.to(torch::kFloat64) - b.to(torch::kFloat64)).abs().max().item<double>();
}

TEST(SampledLoss, AgreesWithAutogradOfThePlainFormula) {
  torch::manual_seed(5);
  const BigramCounts bigrams = some_bigrams();
  for (const Case& test : all_cases()) {
    SCOPED_TRACE(test.name + (test.options.shared_noises ? " shared" : " per token"));
    check(test.options, kWords);
    ShortlistMaker maker(test.options, counts(), &bigrams, 3, torch::kCPU);
    const FlatBatch batch = some_batch();
    const std::int64_t tokens = batch.labels.size(0);
    const Shortlists lists =
        maker.make(batch, own_candidates(test.options, tokens), torch::full({}, 11, torch::kInt64));
    const ObjectiveKind kind = kind_of(test.options.method);
    RowTables tables{torch::randn({kWords, kWidth}), torch::randn({kWords})};
    SubsetTables subsets;
    if (maker.subset_of_word().defined()) {
      subsets = {torch::randn({test.options.subsets, kWidth}).requires_grad_(),
                 torch::randn({test.options.subsets}).requires_grad_(), maker.subset_of_word()};
    }
    auto hidden = torch::randn({tokens, kWidth}).requires_grad_();
    auto sink = std::make_shared<RowGradientSink>();
    const auto loss = sampled_loss(hidden, tables, subsets, lists, kind, sink);
    EXPECT_TRUE(sink->empty());
    (2.5 * loss).backward();

    auto plain_hidden = hidden.detach().to(torch::kFloat64).requires_grad_();
    auto weight = tables.weight.to(torch::kFloat64).requires_grad_();
    auto bias = tables.bias.to(torch::kFloat64).requires_grad_();
    auto all = torch::addmm(bias, plain_hidden, weight.t());
    torch::Tensor subset_weight;
    if (subsets.weight.defined()) {
      subset_weight = subsets.weight.detach().to(torch::kFloat64).requires_grad_();
      all = all +
            torch::addmm(subsets.bias.detach().to(torch::kFloat64), plain_hidden, subset_weight.t())
                .index_select(1, subsets.subset_of_word);
    }
    auto plain = torch::zeros({}, torch::kFloat64);
    for (std::int64_t token = 0; token < tokens; ++token) {
      plain = plain + plain_token_loss(lists, token, batch.labels[token].item<std::int64_t>(),
                                       all[token], kind);
    }
    plain = plain / static_cast<double>(tokens);
    (2.5 * plain).backward();

    EXPECT_NEAR(loss.item<double>(), plain.item<double>(), 2e-5);
    EXPECT_LT(distance(hidden.grad(), plain_hidden.grad()), 2e-5);
    EXPECT_LT(distance(dense_gradient(*sink, tables.weight), weight.grad()), 2e-5);
    EXPECT_LT(distance(dense_gradient(*sink, tables.bias), bias.grad()), 2e-5);
    if (subset_weight.defined()) {
      EXPECT_LT(distance(subsets.weight.grad(), subset_weight.grad()), 2e-5);
    }
  }
}

TEST(SampledLoss, UnusedPlacesOfTheRowGradientAreZero) {
  torch::manual_seed(7);
  SampledOptions options;
  options.selection = parse_selection("frequent");
  options.frequent = 6;
  options.noises = 3;
  ShortlistMaker maker(options, counts(), nullptr, 3, torch::kCPU);
  const FlatBatch batch = some_batch();
  const Shortlists lists = maker.make(batch, {}, torch::zeros({}, torch::kInt64));
  RowTables tables{torch::randn({kWords, kWidth}), torch::randn({kWords})};
  auto sink = std::make_shared<RowGradientSink>();
  auto hidden = torch::randn({batch.labels.size(0), kWidth}).requires_grad_();
  sampled_loss(hidden, tables, {}, lists, ObjectiveKind::kCandidatesVsNoises, sink).backward();
  ASSERT_EQ(sink->size(), 2U);
  for (const RowGradient& gradient : *sink) {
    ASSERT_EQ(gradient.rows.size(0), gradient.values.size(0));
    const auto unused = gradient.values.index({gradient.rows < 0});
    EXPECT_GT(unused.size(0), 0);
    EXPECT_EQ(unused.abs().sum().item<double>(), 0.0);
  }
}

}  // namespace
}  // namespace cane::lm
