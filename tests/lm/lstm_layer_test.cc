#include "lm/body/lstm_layer.h"

#include <gtest/gtest.h>

namespace cane::lm {
namespace CANE_THIS_FILE {

struct Sizes {
  std::int64_t length, streams, input, hidden, projection;
};

class LstmLayerTest : public ::testing::TestWithParam<Sizes> {};

/// Ours and LibTorch's, from leaves of their own.
TEST_P(LstmLayerTest, EqualsLibTorchForwardAndBackward) {
  torch::manual_seed(3);
  const Sizes sizes = GetParam();
  const auto options = torch::dtype(torch::kFloat64);
  const std::int64_t width = sizes.projection > 0 ? sizes.projection : sizes.hidden;
  const auto leaf = [&](at::IntArrayRef shape) {
    return torch::randn(shape, options).mul_(0.5).requires_grad_(true);
  };
  LstmWeights weights = {leaf({4 * sizes.hidden, sizes.input}),
                         leaf({4 * sizes.hidden, width}),
                         leaf({4 * sizes.hidden}),
                         {}};
  if (sizes.projection > 0) weights.projection = leaf({sizes.projection, sizes.hidden});
  const torch::Tensor inputs = leaf({sizes.length, sizes.streams, sizes.input});
  const torch::Tensor first_output = torch::randn({sizes.streams, width}, options);
  const torch::Tensor first_cell = torch::randn({sizes.streams, sizes.hidden}, options);
  const torch::Tensor wanted = torch::randn({sizes.length, sizes.streams, width}, options);

  std::vector<torch::Tensor> leaves = {inputs, weights.input, weights.recurrent, weights.bias};
  std::vector<torch::Tensor> flat = {weights.input, weights.recurrent, weights.bias,
                                     torch::zeros_like(weights.bias).detach()};
  if (weights.projection.defined()) {
    leaves.push_back(weights.projection);
    flat.push_back(weights.projection);
  }
  const auto [expected, last_output, last_cell] =
      at::lstm(inputs, {first_output.unsqueeze(0), first_cell.unsqueeze(0)}, flat, true, 1, 0.0,
               true, false, false);
  const auto expected_gradients = torch::autograd::grad({(expected * wanted).sum()}, leaves);

  torch::Tensor output = first_output.clone();
  torch::Tensor cell = first_cell.clone();
  const torch::Tensor ours = lstm_layer(inputs, weights, output, cell);
  const auto gradients = torch::autograd::grad({(ours * wanted).sum()}, leaves);
  EXPECT_TRUE(torch::allclose(ours, expected));
  EXPECT_TRUE(torch::allclose(output, last_output[0]));
  EXPECT_TRUE(torch::allclose(cell, last_cell[0]));
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    EXPECT_TRUE(torch::allclose(gradients[i], expected_gradients[i])) << "leaf " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(OddSizes, LstmLayerTest,
                         ::testing::Values(Sizes{1, 1, 1, 1, 0}, Sizes{5, 3, 7, 6, 0},
                                           Sizes{4, 2, 5, 9, 3}, Sizes{7, 1, 3, 5, 1}));

}  // namespace CANE_THIS_FILE
}  // namespace cane::lm
