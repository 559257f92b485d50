#include "lm/heads/dense_layers.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace cane::lm {
namespace {

// The cuts of the authors: a fifth of the words, then half.
std::vector<std::int64_t> cutoffs(std::int64_t words) {
  std::vector<std::int64_t> cuts = {std::max<std::int64_t>(words / 5, 1)};
  if (words / 2 > cuts.back()) cuts.push_back(words / 2);
  return cuts;
}

}  // namespace

SoftmaxLayer::SoftmaxLayer(std::span<const std::uint64_t> counts, std::int64_t width) {
  const auto words = static_cast<std::int64_t>(counts.size());
  const double range = 1.0 / std::sqrt(static_cast<double>(width));
  class_rows_ =
      register_parameter("class_rows", torch::empty({words, width}).uniform_(-range, range));
  class_bias_ = register_parameter("class_bias", start_bias(counts));
}

torch::Tensor SoftmaxLayer::loss(const torch::Tensor& hidden, const TokenBatch& batch,
                                 const torch::Tensor& /*step*/) {
  const torch::Tensor all = scores(hidden.flatten(0, 1));
  return torch::nn::functional::cross_entropy(all, batch.labels.reshape({-1}));
}

torch::Tensor SoftmaxLayer::scores(const torch::Tensor& hidden) {
  const auto type = hidden.scalar_type();
  return torch::addmm(class_bias_.to(type), hidden, class_rows_.to(type).t()).to(torch::kFloat32);
}

AdaptiveLayer::AdaptiveLayer(std::int64_t words, std::int64_t width) {
  // Each cluster is four times narrower than the one before, if the width allows it.
  constexpr std::int64_t kWideEnough = 16;
  torch::nn::AdaptiveLogSoftmaxWithLossOptions options(width, words, cutoffs(words));
  options.div_value(width < kWideEnough ? 1.0 : 4.0);
  softmax_ = register_module("adaptive", torch::nn::AdaptiveLogSoftmaxWithLoss(options));
}

torch::Tensor AdaptiveLayer::loss(const torch::Tensor& hidden, const TokenBatch& batch,
                                  const torch::Tensor& /*step*/) {
  const torch::Tensor states = hidden.flatten(0, 1).to(torch::kFloat32);
  return -softmax_->forward(states, batch.labels.reshape({-1})).output.mean();
}

torch::Tensor AdaptiveLayer::scores(const torch::Tensor& hidden) {
  return softmax_->log_prob(hidden.to(torch::kFloat32));
}

}  // namespace cane::lm
