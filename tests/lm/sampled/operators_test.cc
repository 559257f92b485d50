// The operators as another language sees them: by name, through the dispatcher.
#include "lm/sampled/operators.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>

#include "lm/sampled/plain/candidates.h"

namespace cane::lm {
namespace {

std::vector<c10::IValue> call(const char* name, std::vector<c10::IValue> stack) {
  register_operators();
  c10::Dispatcher::singleton().findSchemaOrThrow(name, "").callBoxed(&stack);
  return stack;
}

torch::Tensor words(const std::vector<int>& values) {
  return torch::tensor(values, torch::kInt32);
}

struct Problem {
  torch::Tensor hidden = torch::randn({2, 3, 5}).requires_grad_();
  torch::Tensor weight = torch::randn({9, 5}).requires_grad_();
  torch::Tensor bias = torch::randn({9}).requires_grad_();
  torch::Tensor labels = torch::tensor({{1, 8, 2}, {8, 4, 1}}, torch::kInt64);
};

TEST(SampledOperators, CandidatesOfAllWordsGiveTheSoftmax) {
  Problem problem;
  const auto all = torch::arange(9, torch::kInt32);
  const auto columns = call("cane::columns_of_words", {all, 9})[0].toTensor();
  const auto none = torch::empty({6, 0}, torch::kInt32);
  const auto loss = call("cane::candidates_loss",
                         {problem.hidden, problem.weight, problem.bias, problem.labels, none, all,
                          none, words({kNoWord}), columns, torch::zeros({9})})[0]
                        .toTensor();
  (3.0 * loss).backward();
  Problem plain;
  plain.hidden = problem.hidden.detach().clone().requires_grad_();
  plain.weight = problem.weight.detach().clone().requires_grad_();
  plain.bias = problem.bias.detach().clone().requires_grad_();
  const auto scores = torch::addmm(plain.bias, plain.hidden.view({6, 5}), plain.weight.t());
  const auto expected = torch::nn::functional::cross_entropy(scores, problem.labels.reshape({-1}));
  (3.0 * expected).backward();
  EXPECT_NEAR(loss.item<double>(), expected.item<double>(), 1e-5);
  EXPECT_TRUE(torch::allclose(problem.hidden.grad(), plain.hidden.grad(), 1e-4, 1e-5));
  EXPECT_TRUE(problem.weight.grad().is_sparse());
  EXPECT_TRUE(torch::allclose(problem.weight.grad().to_dense(), plain.weight.grad(), 1e-4, 1e-5));
  EXPECT_TRUE(torch::allclose(problem.bias.grad().to_dense(), plain.bias.grad(), 1e-4, 1e-5));
}

TEST(SampledOperators, NoisesAreDrawnFromTheLawAndTeachTheLabel) {
  Problem problem;
  const auto counts = torch::tensor({5, 1, 2, 9, 4, 4, 1, 1, 3}, torch::kInt64);
  const auto law = call("cane::noise_law", {counts, 0.75, words({3})});
  const auto step = torch::full({}, 4, torch::kInt64);
  const auto drawn =
      call("cane::draw_noises", {law[0], law[1], law[2], 1, step, 6, 7})[0].toTensor();
  EXPECT_EQ(drawn.sizes(), (torch::IntArrayRef{6, 7}));
  EXPECT_FALSE(drawn.eq(3).any().item<bool>());
  const auto shared =
      call("cane::draw_noises", {law[0], law[1], law[2], 1, step, 0, 7})[0].toTensor();
  EXPECT_EQ(shared.sizes(), (torch::IntArrayRef{7}));

  const auto whole = call("cane::noise_law", {counts, 0.75, words({})});
  for (const char* objective : {"nce", "neg", "blackout"}) {
    const auto loss = call("cane::label_loss",
                           {problem.hidden, problem.weight, problem.bias, problem.labels,
                            torch::empty({6, 0}, torch::kInt32), shared, whole[2], objective})[0]
                          .toTensor();
    loss.backward();
    EXPECT_GT(problem.weight.grad().to_dense().abs().sum().item<double>(), 0.0);
    problem.weight.mutable_grad().reset();
  }
}

TEST(SampledOperators, TablesOfAnotherSizeAreRefused) {
  Problem problem;
  const auto none = torch::empty({6, 0}, torch::kInt32);
  EXPECT_THROW(
      call("cane::label_loss", {problem.hidden, problem.weight, problem.bias, problem.labels, none,
                                words({1}), torch::ones({8}), "nce"}),
      c10::Error);
}

}  // namespace
}  // namespace cane::lm
