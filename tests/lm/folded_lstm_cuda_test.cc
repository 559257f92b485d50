// The LSTM layer that runs inside one kernel against the plain one of the CPU.
#include "lm/body/lstm_layer.h"

#include <gtest/gtest.h>

namespace cane::lm {
namespace CANE_THIS_FILE {

struct Sizes {
  std::int64_t length, streams, input, hidden, projection;
};

class FoldedLstmCuda : public ::testing::TestWithParam<Sizes> {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "there is no GPU";
    torch::manual_seed(3);
  }
};

struct Layer {
  torch::Tensor inputs;
  LstmWeights weights;
  torch::Tensor output;
  torch::Tensor cell;

  std::vector<torch::Tensor> leaves() const {
    std::vector<torch::Tensor> all = {inputs, weights.input, weights.recurrent, weights.bias};
    if (weights.projection.defined()) all.push_back(weights.projection);
    return all;
  }
};

Layer random_layer(const Sizes& sizes) {
  const std::int64_t width = sizes.projection > 0 ? sizes.projection : sizes.hidden;
  const auto leaf = [&](at::IntArrayRef shape, double range) {
    return torch::empty(shape).uniform_(-range, range).requires_grad_(true);
  };
  const double range = 2.0 / std::sqrt(static_cast<double>(sizes.hidden));
  Layer layer;
  layer.inputs = leaf({sizes.length, sizes.streams, sizes.input}, 1.0);
  layer.weights = {leaf({4 * sizes.hidden, sizes.input}, range),
                   leaf({4 * sizes.hidden, width}, range),
                   leaf({4 * sizes.hidden}, range),
                   {}};
  if (sizes.projection > 0) {
    layer.weights.projection = leaf({sizes.projection, sizes.hidden}, range);
  }
  layer.output = torch::randn({sizes.streams, width}) * 0.3;
  layer.cell = torch::randn({sizes.streams, sizes.hidden}) * 0.3;
  return layer;
}

Layer on_gpu(const Layer& layer) {
  const auto leaf = [](const torch::Tensor& tensor) {
    return tensor.defined() ? tensor.detach().to(torch::kCUDA).requires_grad_(true) : tensor;
  };
  return {leaf(layer.inputs),
          {leaf(layer.weights.input), leaf(layer.weights.recurrent), leaf(layer.weights.bias),
           leaf(layer.weights.projection)},
          layer.output.to(torch::kCUDA),
          layer.cell.to(torch::kCUDA)};
}

double relative_distance(const torch::Tensor& a, const torch::Tensor& b) {
  const torch::Tensor first = a.detach().cpu().to(torch::kFloat64);
  const torch::Tensor second = b.detach().cpu().to(torch::kFloat64);
  return ((first - second).norm() / second.norm()).item<double>();
}

void expect_the_same(const Sizes& sizes, torch::ScalarType computing, double tolerance) {
  Layer host = random_layer(sizes);
  Layer device = on_gpu(host);
  ASSERT_TRUE(lstm_folds(torch::kCUDA, sizes.streams, sizes.hidden, computing));
  const torch::Tensor expected = lstm_layer(host.inputs, host.weights, host.output, host.cell);
  const torch::Tensor wanted = torch::randn_like(expected);
  const auto expected_gradients = torch::autograd::grad({(expected * wanted).sum()}, host.leaves());
  const torch::Tensor ours =
      folded_lstm(device.inputs, device.weights, device.output, device.cell, computing);
  EXPECT_EQ(ours.scalar_type(), computing);
  const auto gradients = torch::autograd::grad(
      {(ours.to(torch::kFloat32) * wanted.to(torch::kCUDA)).sum()}, device.leaves());
  EXPECT_LT(relative_distance(ours, expected), tolerance);
  EXPECT_LT(relative_distance(device.output, host.output), tolerance);
  EXPECT_LT(relative_distance(device.cell, host.cell), tolerance);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_LT(relative_distance(gradients[i], expected_gradients[i]), tolerance) << "leaf " << i;
  }
}

TEST_P(FoldedLstmCuda, EqualsTheLayerOfTheCpu) {
  expect_the_same(GetParam(), torch::kFloat32, 3e-3);
}

TEST_P(FoldedLstmCuda, IsCloseToItInBfloat16) {
  expect_the_same(GetParam(), torch::kBFloat16, 3e-2);
}

// The last ones have more tiles of streams than blocks for them.
INSTANTIATE_TEST_SUITE_P(ManySizes, FoldedLstmCuda,
                         ::testing::Values(Sizes{1, 16, 8, 64, 8}, Sizes{5, 48, 24, 128, 0},
                                           Sizes{20, 64, 256, 512, 256}, Sizes{4, 16, 64, 704, 40},
                                           Sizes{3, 128, 8, 192, 0}));

TEST(FoldedLstmCudaSizes, RefusesSizesThatAreNoWholeTiles) {
  EXPECT_FALSE(lstm_folds(torch::kCPU, 64, 512, torch::kFloat32));
  if (!torch::cuda::is_available()) GTEST_SKIP() << "there is no GPU";
  EXPECT_FALSE(lstm_folds(torch::kCUDA, 63, 512, torch::kFloat32));
  EXPECT_FALSE(lstm_folds(torch::kCUDA, 64, 500, torch::kFloat32));
  EXPECT_FALSE(lstm_folds(torch::kCUDA, 64, 4096, torch::kFloat32));
  EXPECT_FALSE(lstm_folds(torch::kCUDA, 4096, 512, torch::kFloat32));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::lm
