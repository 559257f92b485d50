// Updates of rows on the GPU against the same rules written with tensors on the CPU.
#include "torch/sampled/cuda/row_update.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

namespace cane::lm {
namespace {

constexpr std::int64_t kRows = 37;
constexpr std::int64_t kWidth = 131;
constexpr std::int64_t kGradients = 301;

class RowUpdateCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "there is no GPU";
    torch::manual_seed(1);
    rows = torch::randint(-1, kRows, {kGradients}, torch::kInt64);
    values = torch::randn({kGradients, kWidth}) * (rows >= 0).unsqueeze(1);
    table = torch::randn({kRows, kWidth});
    sums = torch::zeros({kRows, kWidth}).index_add(0, rows.clamp_min(0), values);
    touched = torch::zeros({kRows})
                  .index_add(0, rows.clamp_min(0), (rows >= 0).to(torch::kFloat32))
                  .gt(0)
                  .unsqueeze(1);
    summed_rows = torch::empty({kGradients}, torch::kInt64).to(torch::kCUDA);
    summed_values = torch::empty({kGradients, kWidth}).to(torch::kCUDA);
    gpu_rows = rows.to(torch::kCUDA);
    gpu_values = values.to(torch::kCUDA);
    gpu_table = table.to(torch::kCUDA);
    const auto scratch =
        torch::empty({static_cast<std::int64_t>(cuda::distinct_row_bytes(kGradients))},
                     torch::kUInt8)
            .to(torch::kCUDA);
    cuda::sum_repeated_rows({kGradients, kWidth, kRows, gpu_rows.data_ptr<std::int64_t>(),
                             gpu_values.data_ptr<float>()},
                            summed_rows.data_ptr<std::int64_t>(), summed_values.data_ptr<float>(),
                            scratch.data_ptr(), static_cast<std::size_t>(scratch.numel()), nullptr);
    torch::cuda::synchronize();
    update.gradients = {kGradients, kWidth, kRows, summed_rows.data_ptr<std::int64_t>(),
                        summed_values.data_ptr<float>()};
    update.rate = rate.data_ptr<float>();
    update.scale = scale.data_ptr<float>();
    update.table = gpu_table.data_ptr<float>();
  }

  void expect_table(const torch::Tensor& expected) const {
    torch::cuda::synchronize();
    EXPECT_TRUE(torch::allclose(gpu_table.cpu(), expected, 1e-4, 1e-5));
  }

  torch::Tensor rows, values, table, sums, touched;
  torch::Tensor summed_rows, summed_values, gpu_rows, gpu_values, gpu_table;
  torch::Tensor rate =
      torch::cuda::is_available() ? torch::full({}, 0.1F).to(torch::kCUDA) : torch::full({}, 0.1F);
  torch::Tensor scale =
      torch::cuda::is_available() ? torch::full({}, 0.5F).to(torch::kCUDA) : torch::full({}, 0.5F);
  cuda::RowUpdate update;
};

TEST_F(RowUpdateCuda, RepeatedRowsAreSummedOnce) {
  const auto host_rows = summed_rows.cpu();
  const auto host_values = summed_values.cpu();
  auto seen = torch::zeros({kRows}, torch::kInt64);
  auto dense = torch::zeros({kRows, kWidth});
  for (std::int64_t i = 0; i < kGradients; ++i) {
    const auto row = host_rows[i].item<std::int64_t>();
    if (row < 0) {
      EXPECT_EQ(host_values[i].abs().sum().item<double>(), 0.0);
    } else {
      seen[row] += 1;
      dense[row] += host_values[i];
    }
  }
  EXPECT_LE(seen.max().item<std::int64_t>(), 1);
  EXPECT_TRUE(torch::allclose(dense, sums, 1e-4, 1e-4));
}

TEST_F(RowUpdateCuda, SgdFollowsTheGradient) {
  cuda::update_rows_sgd(update, nullptr);
  expect_table(table - 0.1 * 0.5 * sums);
}

TEST_F(RowUpdateCuda, AdagradDividesByTheRootOfTheSquares) {
  const auto squares = torch::rand({kRows, kWidth});
  auto gpu_squares = squares.to(torch::kCUDA);
  cuda::update_rows_adagrad(update, gpu_squares.data_ptr<float>(), 1e-10F, nullptr);
  const auto gradient = 0.5 * sums;
  const auto after = squares + gradient.square();
  expect_table(table - 0.1 * gradient / (after.sqrt() + 1e-10));
  EXPECT_TRUE(torch::allclose(gpu_squares.cpu(), after, 1e-4, 1e-5));
}

TEST_F(RowUpdateCuda, AdamLeavesRowsWithoutGradientAlone) {
  const auto mean = torch::randn({kRows, kWidth});
  const auto square = torch::rand({kRows, kWidth}) + 0.1;
  auto gpu_mean = mean.to(torch::kCUDA);
  auto gpu_square = square.to(torch::kCUDA);
  auto step = torch::full({}, 3, torch::kInt64).to(torch::kCUDA);
  cuda::AdamMoments moments;
  moments.mean = gpu_mean.data_ptr<float>();
  moments.square = gpu_square.data_ptr<float>();
  moments.step = step.data_ptr<std::int64_t>();
  cuda::update_rows_adam(update, moments, nullptr);
  const auto gradient = 0.5 * sums;
  const auto new_mean = torch::where(touched, 0.9 * mean + 0.1 * gradient, mean);
  const auto new_square = torch::where(touched, 0.999 * square + 0.001 * gradient.square(), square);
  const auto change = (new_mean / (1.0 - std::pow(0.9, 4))) /
                      ((new_square / (1.0 - std::pow(0.999, 4))).sqrt() + 1e-8);
  expect_table(table - 0.1 * torch::where(touched, change, torch::zeros_like(change)));
  EXPECT_TRUE(torch::allclose(gpu_mean.cpu(), new_mean, 1e-4, 1e-5));
}

}  // namespace
}  // namespace cane::lm
