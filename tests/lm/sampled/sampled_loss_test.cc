// Loss and gradients of every method and selection against autograd of the plain formula in
// float64.
#include <gtest/gtest.h>

#include "lm/sampled/plain_loss.h"
#include "lm/sampled/sampled_cases.h"

namespace cane::lm {
namespace CANE_THIS_FILE {

TEST(SampledLoss, AgreesWithAutogradOfThePlainFormula) {
  torch::manual_seed(5);
  const BigramCounts bigrams = case_bigrams();
  for (const SampledCase& test : sampled_cases()) {
    SCOPED_TRACE(test.name + (test.options.shared_noises ? " shared" : " per token"));
    check(test.options, kCaseWords);
    ShortlistMaker maker(test.options, case_counts(), &bigrams, 3, torch::kCPU);
    const FlatBatch batch = case_batch();
    const std::int64_t tokens = batch.labels.size(0);
    const Shortlists lists = maker.make(batch, case_candidates(test.options, tokens),
                                        torch::full({}, 11, torch::kInt64));
    const Method kind = test.options.method;
    RowTables tables{torch::randn({kCaseWords, kCaseWidth}), torch::randn({kCaseWords})};
    SubsetTables subsets;
    if (maker.subset_of_class().defined()) {
      subsets = {torch::randn({test.options.subsets, kCaseWidth}).requires_grad_(),
                 torch::randn({test.options.subsets}).requires_grad_(), maker.subset_of_class()};
    }
    auto hidden = torch::randn({tokens, kCaseWidth}).requires_grad_();
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
                .index_select(1, subsets.subset_of_class);
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

TEST(SampledLoss, RowsOfTheGradientAreDistinct) {
  torch::manual_seed(7);
  SampledOptions options;
  options.selection = parse_selection("frequent");
  options.frequent = 6;
  options.noises = 3;
  ShortlistMaker maker(options, case_counts(), nullptr, 3, torch::kCPU);
  const FlatBatch batch = case_batch();
  const Shortlists lists = maker.make(batch, {}, torch::zeros({}, torch::kInt64));
  RowTables tables{torch::randn({kCaseWords, kCaseWidth}), torch::randn({kCaseWords})};
  auto sink = std::make_shared<RowGradientSink>();
  auto hidden = torch::randn({batch.labels.size(0), kCaseWidth}).requires_grad_();
  sampled_loss(hidden, tables, {}, lists, Method::kCane, sink).backward();
  ASSERT_EQ(sink->size(), 2U);
  for (const RowGradient& gradient : *sink) {
    ASSERT_EQ(gradient.rows.size(0), gradient.values.size(0));
    EXPECT_TRUE(gradient.distinct);
    EXPECT_EQ(std::get<0>(torch::_unique(gradient.rows)).size(0), gradient.rows.size(0));
    EXPECT_GT(gradient.rows.size(0), 6);
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::lm
