// The optimiser on the GPU against the one on the CPU: every rule, with and without clipping.
#include <gtest/gtest.h>

#include "lm/engine/optimizer.h"

namespace cane::lm {
namespace CANE_THIS_FILE {

constexpr std::int64_t kRows = 37;
constexpr std::int64_t kWidth = 131;
constexpr std::int64_t kGradients = 301;

class OptimizerCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "there is no GPU";
    torch::manual_seed(1);
  }
};

RowGradient random_rows(const torch::Tensor& table) {
  const torch::Tensor rows = torch::randint(-1, kRows, {kGradients}, torch::kInt64);
  const torch::Tensor values = torch::randn({kGradients, kWidth}) * (rows >= 0).unsqueeze(1);
  return {table, rows, values};
}

RowGradient on_gpu(const RowGradient& gradient, const torch::Tensor& table) {
  return {table, gradient.rows.to(torch::kCUDA), gradient.values.to(torch::kCUDA),
          gradient.distinct};
}

TEST_F(OptimizerCuda, RepeatedRowsAreSummedOnce) {
  const RowGradient given = random_rows(torch::zeros({kRows, kWidth}));
  const RowGradient summed =
      with_distinct_rows(on_gpu(given, torch::zeros({kRows, kWidth}, torch::kCUDA)));
  const torch::Tensor rows = summed.rows.cpu();
  const torch::Tensor values = summed.values.cpu();
  const torch::Tensor expected =
      torch::zeros({kRows, kWidth}).index_add(0, given.rows.clamp_min(0), given.values);
  torch::Tensor seen = torch::zeros({kRows}, torch::kInt64);
  torch::Tensor dense = torch::zeros({kRows, kWidth});
  for (std::int64_t i = 0; i < rows.numel(); ++i) {
    const auto row = rows[i].item<std::int64_t>();
    if (row < 0) {
      EXPECT_EQ(values[i].abs().sum().item<double>(), 0.0);
      continue;
    }
    seen[row] += 1;
    dense[row] += values[i];
  }
  EXPECT_LE(seen.max().item<std::int64_t>(), 1);
  EXPECT_TRUE(torch::allclose(dense, expected, 1e-4, 1e-4));
}

/// Parameters, a table and its biases, on one device.
struct Weights {
  explicit Weights(const std::vector<torch::Tensor>& from, torch::Device device) {
    for (const torch::Tensor& tensor : from) all.push_back(tensor.to(device, false, true));
    all[0].requires_grad_(true);
  }
  std::vector<torch::Tensor> all;
};

void expect_the_same_weights(UpdateRule rule, double clip) {
  const std::vector<torch::Tensor> start = {torch::randn({5, 3}), torch::randn({kRows, kWidth}),
                                            torch::randn({kRows})};
  Weights host(start, torch::kCPU);
  Weights device(start, torch::kCUDA);
  RowOptimizer on_host(rule, 0.05, clip, torch::kCPU);
  RowOptimizer on_device(rule, 0.05, clip, torch::kCUDA);
  for (auto [optimizer, weights] : {std::pair{&on_host, &host}, {&on_device, &device}}) {
    optimizer->add_parameter("parameter", weights->all[0]);
    optimizer->add_table("table", weights->all[1]);
    optimizer->add_table("bias", weights->all[2]);
  }
  for (std::int64_t step = 0; step < 4; ++step) {
    const torch::Tensor dense = torch::randn({3, 5}).t();
    host.all[0].mutable_grad() = dense.clone();
    device.all[0].mutable_grad() = dense.to(torch::kCUDA);
    const RowGradient table = random_rows(host.all[1]);
    // A column of a wider matrix, as the sampled layers leave it.
    const RowGradient bias = {host.all[2], table.rows, table.values.narrow(1, 7, 1)};
    const auto counter = torch::full({}, step, torch::kInt64);
    on_host.update({table, bias}, counter);
    on_device.update({on_gpu(table, device.all[1]), on_gpu(bias, device.all[2])},
                     counter.to(torch::kCUDA));
  }
  for (std::size_t i = 0; i < start.size(); ++i) {
    EXPECT_TRUE(torch::allclose(device.all[i].detach().cpu(), host.all[i].detach(), 1e-3, 1e-4))
        << "tensor " << i;
  }
}

TEST_F(OptimizerCuda, GivesTheWeightsOfTheCpu) {
  for (const UpdateRule rule : {UpdateRule::kSgd, UpdateRule::kAdagrad, UpdateRule::kAdam}) {
    for (const double clip : {0.0, 1.5}) {
      SCOPED_TRACE(::testing::Message() << "rule " << static_cast<int>(rule) << ", clip " << clip);
      expect_the_same_weights(rule, clip);
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::lm
