// The operators as another language sees them: by name, through the dispatcher.
#include "layer/operators.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

namespace cane::layer {
namespace CANE_THIS_FILE {

using torch::Tensor;

std::vector<c10::IValue> call(const char* name, std::vector<c10::IValue> stack) {
  c10::Dispatcher::singleton().findSchemaOrThrow(name, "").callBoxed(&stack);
  return stack;
}

constexpr std::int64_t kClasses = 9;

struct Problem {
  Tensor hidden = torch::randn({6, 5}).requires_grad_();
  Tensor weight = torch::randn({kClasses, 5}).requires_grad_();
  Tensor bias = torch::randn({kClasses}).requires_grad_();
  Tensor labels = torch::tensor({1, 8, 2, 8, 4, 1}, torch::kInt64);
  Tensor none = torch::empty({0}, torch::kInt32);
  Tensor no_own = torch::empty({6, 0}, torch::kInt32);
  Tensor uniform = torch::full({kClasses}, 1.0 / kClasses);
};

/// The losses with every class as a candidate of the batch; rows: buffers or None.
Tensor losses_over_all(const Problem& problem, const std::vector<c10::IValue>& rows) {
  const Tensor all = torch::arange(kClasses, torch::kInt32);
  const auto columns = call("cane::columns_of_classes", {all, kClasses})[0];
  const auto list =
      call("cane::shortlist", {problem.labels, problem.no_own, all, problem.none, problem.no_own,
                               problem.none, columns, problem.uniform, c10::IValue(), "cane"});
  std::vector<c10::IValue> arguments = {
      problem.hidden, problem.weight, problem.bias, list[0], list[1], 0, 0};
  arguments.insert(arguments.end(), rows.begin(), rows.end());
  const auto scores = call("cane::class_scores", arguments)[0];
  return call("cane::shortlist_loss",
              {scores, problem.none, list[2], list[3], list[4], 0, kClasses, kClasses, "cane"})[0]
      .toTensor();
}

const std::vector<c10::IValue> kNoRows = {c10::IValue(), c10::IValue(), c10::IValue()};

TEST(Operators, CandidatesOfAllClassesGiveTheSoftmax) {
  const Problem problem;
  const Tensor losses = losses_over_all(problem, kNoRows);
  (3.0 * losses.mean()).backward();
  Problem plain;
  plain.hidden = problem.hidden.detach().clone().requires_grad_();
  plain.weight = problem.weight.detach().clone().requires_grad_();
  plain.bias = problem.bias.detach().clone().requires_grad_();
  const Tensor scores = torch::addmm(plain.bias, plain.hidden, plain.weight.t());
  const Tensor expected = torch::nn::functional::cross_entropy(scores, problem.labels);
  (3.0 * expected).backward();
  EXPECT_NEAR(losses.mean().item<double>(), expected.item<double>(), 1e-5);
  EXPECT_TRUE(torch::allclose(problem.hidden.grad(), plain.hidden.grad(), 1e-4, 1e-5));
  EXPECT_TRUE(problem.weight.grad().is_sparse());
  EXPECT_TRUE(torch::allclose(problem.weight.grad().to_dense(), plain.weight.grad(), 1e-4, 1e-5));
  EXPECT_TRUE(torch::allclose(problem.bias.grad().to_dense(), plain.bias.grad(), 1e-4, 1e-5));
}

TEST(Operators, BuffersForRowsTakeTheGradientInstead) {
  const Problem problem;
  losses_over_all(problem, kNoRows).sum().backward();
  const Tensor expected = problem.weight.grad().to_dense();
  const Tensor expected_bias = problem.bias.grad().to_dense();
  problem.weight.mutable_grad() = Tensor();
  const Tensor ids = torch::full({2, kClasses}, -1, torch::kInt64);
  const Tensor values = torch::zeros({2, kClasses, 8});
  const Tensor count = torch::zeros({}, torch::kInt64);
  losses_over_all(problem, {ids, values, count}).sum().backward();
  EXPECT_FALSE(problem.weight.grad().defined());
  EXPECT_EQ(count.item<std::int64_t>(), 1);
  EXPECT_TRUE((ids[1] == -1).all().item<bool>());
  const Tensor sums = torch::zeros({kClasses, 8}).index_add_(0, ids[0], values[0]);
  EXPECT_TRUE(torch::allclose(sums.narrow(1, 0, 5), expected, 1e-5, 1e-6));
  EXPECT_TRUE(torch::allclose(sums.select(1, 5), expected_bias, 1e-5, 1e-6));
}

TEST(Operators, FullSlotsForRowsAreAnErrorThatSaysWhatToDo) {
  const Problem problem;
  const Tensor ids = torch::full({1, kClasses}, -1, torch::kInt64);
  const Tensor values = torch::zeros({1, kClasses, 8});
  const Tensor count = torch::ones({}, torch::kInt64);
  try {
    losses_over_all(problem, {ids, values, count}).sum().backward();
    FAIL() << "a slot too many was accepted";
  } catch (const c10::Error& error) {
    EXPECT_NE(std::string(error.what()).find("reserve more slots"), std::string::npos);
  }
}

TEST(Operators, NoisesAreDrawnFromTheLawWithoutExcludedClasses) {
  const Tensor counts = torch::tensor({5, 1, 2, 9, 4, 4, 1, 1, 3}, torch::kInt64);
  const Tensor excluded = torch::tensor({3}, torch::kInt32);
  const auto law = call("cane::noise_law", {counts, 0.75, excluded});
  const Tensor step = torch::full({}, 4, torch::kInt64);
  const auto draw = [&](const c10::IValue& examples, std::int64_t noises) {
    return call("cane::draw_noises", {law[0], law[1], 1, step, examples, noises})[0].toTensor();
  };
  EXPECT_EQ(draw(torch::empty({6, 2}), 7).sizes(), (torch::IntArrayRef{6, 7}));
  const Tensor shared = draw(c10::IValue(), 4000);
  EXPECT_EQ(shared.sizes(), (torch::IntArrayRef{4000}));
  const Tensor shares = torch::bincount(shared, {}, kClasses) / 4000.0;
  EXPECT_EQ(shares[3].item<double>(), 0.0);
  EXPECT_TRUE(torch::allclose(shares, law[2].toTensor().to(shares.scalar_type()), 0.0, 0.03));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::layer
