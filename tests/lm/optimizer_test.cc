#include "lm/engine/optimizer.h"

#include <gtest/gtest.h>

namespace cane::lm {
namespace CANE_THIS_FILE {

constexpr std::int64_t kRows = 7;
constexpr double kRate = 0.1;

struct Case {
  UpdateRule rule;
  std::int64_t width;
};

class RowUpdate : public ::testing::TestWithParam<Case> {};

torch::Tensor step_number(std::int64_t step) {
  return torch::full({}, step, torch::kInt64);
}

std::unique_ptr<torch::optim::Optimizer> reference(UpdateRule rule, const torch::Tensor& table) {
  const std::vector<torch::Tensor> tables = {table};
  if (rule == UpdateRule::kSgd) return std::make_unique<torch::optim::SGD>(tables, kRate);
  if (rule == UpdateRule::kAdagrad) return std::make_unique<torch::optim::Adagrad>(tables, kRate);
  return std::make_unique<torch::optim::Adam>(tables, kRate);
}

/// Some rows twice, some places unused; in every step all rows but the last two.
RowGradient some_rows(const torch::Tensor& table, std::int64_t width) {
  const torch::Tensor rows = torch::tensor({3, 0, -1, 4, 3, 1, 2, 3, -1}, torch::kInt64);
  const torch::Tensor used = (rows >= 0).to(torch::kFloat32).unsqueeze(1);
  return {table, rows, torch::randn({rows.size(0), width}) * used};
}

torch::Tensor dense(const RowGradient& gradient) {
  torch::Tensor sum = torch::zeros({kRows, gradient.values.size(1)});
  for (std::int64_t i = 0; i < gradient.rows.size(0); ++i) {
    const auto row = gradient.rows[i].item<std::int64_t>();
    if (row >= 0) sum[row] += gradient.values[i];
  }
  return sum;
}

TEST_P(RowUpdate, EqualsTheDenseOneOnTheRowsItTouches) {
  torch::manual_seed(5);
  const auto [rule, width] = GetParam();
  const torch::Tensor table = torch::randn({kRows, width});
  const torch::Tensor start = table.clone();
  torch::Tensor plain = table.clone().requires_grad_(true);
  RowOptimizer optimizer(rule, kRate, 0.0, torch::kCPU);
  optimizer.add_table("table", table);
  const auto expected = reference(rule, plain);
  for (std::int64_t step = 0; step < 5; ++step) {
    const RowGradient gradient = some_rows(table, width);
    plain.mutable_grad() = dense(gradient);
    expected->step();
    optimizer.update({gradient}, step_number(step));
  }
  EXPECT_TRUE(torch::allclose(table, plain.detach(), 1e-4, 1e-6)) << table << plain;
  EXPECT_TRUE(torch::equal(table.slice(0, 5), start.slice(0, 5)));
}

TEST_P(RowUpdate, OfDenseParametersEqualsLibTorch) {
  torch::manual_seed(6);
  const auto [rule, width] = GetParam();
  torch::Tensor ours = torch::randn({kRows, width}).requires_grad_(true);
  torch::Tensor plain = ours.detach().clone().requires_grad_(true);
  RowOptimizer optimizer(rule, kRate, 0.0, torch::kCPU);
  optimizer.add_parameter("parameter", ours);
  const auto expected = reference(rule, plain);
  for (std::int64_t step = 0; step < 5; ++step) {
    const torch::Tensor gradient = torch::randn({kRows, width});
    ours.mutable_grad() = gradient.clone();
    plain.mutable_grad() = gradient;
    expected->step();
    optimizer.update({}, step_number(step));
  }
  EXPECT_TRUE(torch::allclose(ours.detach(), plain.detach(), 1e-4, 1e-6));
}

INSTANTIATE_TEST_SUITE_P(AllRules, RowUpdate,
                         ::testing::Values(Case{UpdateRule::kSgd, 1}, Case{UpdateRule::kSgd, 5},
                                           Case{UpdateRule::kAdagrad, 3},
                                           Case{UpdateRule::kAdam, 1},
                                           Case{UpdateRule::kAdam, 17}));

TEST(Optimizer, SumsTheGradientsOfATableThatComesTwice) {
  const torch::Tensor table = torch::zeros({3, 2});
  const torch::Tensor bias = torch::zeros({3});
  RowOptimizer optimizer(UpdateRule::kAdagrad, 1.0, 0.0, torch::kCPU);
  optimizer.add_table("table", table);
  optimizer.add_table("bias", bias);
  const torch::Tensor one = torch::tensor({1}, torch::kInt64);
  optimizer.update({{table, one, torch::full({1, 2}, 2.0)},
                    {table, one, torch::full({1, 2}, -1.0)},
                    {bias, one, torch::full({1}, 4.0)}},
                   step_number(0));
  // AdaGrad's first step has length one, whatever the gradient.
  EXPECT_TRUE(torch::allclose(
      table, torch::tensor({{0.0, 0.0}, {-1.0, -1.0}, {0.0, 0.0}}, torch::kFloat32)));
  EXPECT_TRUE(torch::allclose(bias, torch::tensor({0.0, -1.0, 0.0}, torch::kFloat32)));
}

TEST(Optimizer, ClipsByTheLengthOfAllGradientsTogether) {
  torch::Tensor parameter = torch::zeros({1}).requires_grad_(true);
  const torch::Tensor table = torch::zeros({2, 1});
  RowOptimizer optimizer(UpdateRule::kSgd, 1.0, 1.0, torch::kCPU);
  optimizer.add_parameter("parameter", parameter);
  optimizer.add_table("table", table);
  parameter.mutable_grad() = torch::full({1}, 3.0);
  // Twice the same row: 1.5 + 2.5 = 4, and the length is 5.
  optimizer.update({{table, torch::tensor({1, 1}, torch::kInt64),
                     torch::tensor({{1.5}, {2.5}}, torch::kFloat32)}},
                   step_number(0));
  EXPECT_NEAR(parameter.item<float>(), -0.6F, 1e-5F);
  EXPECT_NEAR(table[1].item<float>(), -0.8F, 1e-5F);
  EXPECT_EQ(table[0].item<float>(), 0.0F);
}

TEST(Optimizer, SetsTheRate) {
  const torch::Tensor table = torch::zeros({2, 1});
  RowOptimizer optimizer(UpdateRule::kSgd, 1.0, 0.0, torch::kCPU);
  optimizer.add_table("table", table);
  optimizer.set_rate(0.25);
  optimizer.update({{table, torch::tensor({0}, torch::kInt64), torch::ones({1, 1})}},
                   step_number(0));
  EXPECT_FLOAT_EQ(table[0].item<float>(), -0.25F);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::lm
