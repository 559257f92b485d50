#include "lm/heads/softmax_layer.h"

#include <cmath>

#include "lm/heads/start_bias.h"

namespace cane::lm {

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

}  // namespace cane::lm
