#include <gtest/gtest.h>

#include <cmath>

#include "lm/sampled/sampled_layer.h"
#include "lm/sampled/sampled_loss.h"

namespace cane::lm {
namespace CANE_THIS_FILE {

constexpr std::int64_t kWords = 12;
constexpr std::int64_t kWidth = 4;
const std::vector<std::uint64_t> kCounts = {40, 3, 9, 1, 20, 5, 7, 2, 11, 6, 4, 8};

SampledOptions options_of(const std::string& method, const std::string& selection) {
  SampledOptions options;
  options.method = sampled_method(method);
  options.selection = parse_selection(selection);
  options.frequent = 4;
  options.candidates = 3;
  options.noises = 4;
  options.subsets = 3;
  options.rank = 2;
  if (row_of(options.method).takes_uniform_noise_only) options.noise = NoiseLawKind::kUniform;
  return options;
}

TokenBatch some_batch() {
  return {torch::randint(0, kWords, {5, 3}, torch::kInt64),
          torch::randint(0, kWords, {5, 3}, torch::kInt64)};
}

void apply_gradients(OutputLayer& layer, double rate) {
  const torch::NoGradGuard no_gradient;
  for (RowGradient& gradient : layer.take_row_gradients()) {
    const auto used = gradient.rows >= 0;
    auto values = gradient.values.index({used});
    if (gradient.table.dim() == 1) values = values.squeeze(1);
    gradient.table.index_add_(0, gradient.rows.index({used}), values * -rate);
  }
  for (auto& parameter : layer.parameters()) {
    if (!parameter.grad().defined()) continue;
    parameter.sub_(parameter.grad() * rate);
    parameter.mutable_grad().reset();
  }
}

TEST(SampledLayer, EveryConsistentMethodLearnsWhatFollowsAWord) {
  // Word w is followed by 2w or 2w + 1, the first three times out of four.
  torch::manual_seed(3);
  std::vector<std::uint32_t> text;
  for (std::uint32_t i = 0, word = 1; i < 4000; ++i) {
    text.push_back(word);
    word = (2 * word + ((i * 7919) % 4 == 0 ? 1 : 0)) % kWords;
  }
  const BigramCounts bigrams = count_bigrams(text, kWords);
  for (const auto& [method, selection] : std::vector<std::pair<std::string, std::string>>{
           {"cane", "frequent"},
           {"cane", "frequent+batch"},
           {"cane", "low-rank"},
           {"cane", "subset"},
           {"cane", "frequent+ngram"},
           {"nce", "frequent"},
           {"neg", "frequent"},
           {"blackout", "frequent"},
       }) {
    SCOPED_TRACE(method + " " + selection);
    SampledOptions options = options_of(method, selection);
    options.shared_noises = false;
    options.noises = 8;
    auto layer = std::make_shared<SampledLayer>(options, kCounts, kWords, 1, torch::kCPU, &bigrams);
    const auto contexts = torch::arange(kWords, torch::kInt64).repeat({4, 1}).t().contiguous();
    auto labels = 2 * contexts;
    labels.select(1, 3).add_(1);
    labels = labels.remainder(kWords);
    const auto hidden = torch::one_hot(contexts, kWords).to(torch::kFloat32) * 2.0;
    auto p = torch::zeros({kWords, kWords});
    constexpr std::int64_t kSteps = 400;
    for (std::int64_t step = 0; step < kSteps; ++step) {
      auto input = hidden.clone().requires_grad_();
      layer->loss(input, {contexts, labels}, torch::full({}, step, torch::kInt64)).backward();
      apply_gradients(*layer, 4.0 / (1.0 + static_cast<double>(step) / 40.0));
      // What single draws do to the weights is averaged out.
      if (2 * step >= kSteps) p += layer->scores(hidden.select(1, 0)).softmax(1) * 2.0 / kSteps;
    }
    double deviation = 0.0;
    for (std::int64_t word = 0; word < kWords; ++word) {
      deviation += std::fabs(p[word][2 * word % kWords].item<double>() - 0.75) / kWords;
    }
    EXPECT_LT(deviation, 0.1);
  }
}

TEST(SampledLayer, TakesBfloat16AndGivesItsGradientBack) {
  // In so small a vocabulary all shared noises of some batches are candidates, and their tokens are
  // left out: the seed gives a batch with noises.
  torch::manual_seed(3);
  auto layer = std::make_shared<SampledLayer>(options_of("cane", "frequent+batch"), kCounts, kWidth,
                                              1, torch::kCPU);
  auto hidden = torch::randn({5, 3, kWidth}).to(torch::kBFloat16).requires_grad_();
  const auto loss = layer->loss(hidden, some_batch(), torch::zeros({}, torch::kInt64));
  EXPECT_EQ(loss.scalar_type(), torch::kFloat32);
  loss.backward();
  EXPECT_EQ(hidden.grad().scalar_type(), torch::kBFloat16);
  EXPECT_GT(hidden.grad().abs().sum().item<double>(), 0.0);
  for (const RowGradient& gradient : layer->take_row_gradients()) {
    EXPECT_EQ(gradient.values.scalar_type(), torch::kFloat32);
  }
}

TEST(SampledLayer, CountsCoverageSinceTheLastCall) {
  auto layer = std::make_shared<SampledLayer>(options_of("cane", "frequent"), kCounts, kWidth, 1,
                                              torch::kCPU);
  EXPECT_LT(layer->take_coverage(), 0.0);
  // The four most frequent words are 0, 4, 8 and 2.
  const TokenBatch batch{torch::zeros({4, 1}, torch::kInt64),
                         torch::tensor({{8}, {1}, {2}, {0}}, torch::kInt64)};
  layer->loss(torch::randn({4, 1, kWidth}), batch, torch::zeros({}, torch::kInt64));
  EXPECT_DOUBLE_EQ(layer->take_coverage(), 0.75);
  EXPECT_LT(layer->take_coverage(), 0.0);
  auto nce = std::make_shared<SampledLayer>(options_of("nce", "frequent"), kCounts, kWidth, 1,
                                            torch::kCPU);
  EXPECT_LT(nce->take_coverage(), 0.0);
}

TEST(SampledLayer, RowGradientsAreKeptUntilTheyAreTaken) {
  auto layer = std::make_shared<SampledLayer>(options_of("cane", "frequent"), kCounts, kWidth, 1,
                                              torch::kCPU);
  for (std::int64_t step = 0; step < 2; ++step) {
    auto hidden = torch::randn({5, 3, kWidth}).requires_grad_();
    layer->loss(hidden, some_batch(), torch::full({}, step, torch::kInt64)).backward();
  }
  EXPECT_EQ(layer->take_row_gradients().size(), 4U);
  EXPECT_TRUE(layer->take_row_gradients().empty());
}

TEST(SampledLayer, TouchesFewRowsHoweverManyWordsThereAre) {
  const std::vector<std::uint64_t> many(20000, 1);
  auto layer =
      std::make_shared<SampledLayer>(options_of("cane", "frequent"), many, kWidth, 1, torch::kCPU);
  auto hidden = torch::randn({5, 3, kWidth}).requires_grad_();
  layer->loss(hidden, some_batch(), torch::zeros({}, torch::kInt64)).backward();
  for (const RowGradient& gradient : layer->take_row_gradients()) {
    EXPECT_LE(gradient.rows.size(0), 4 + 1 + 4 + 15);
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::lm
