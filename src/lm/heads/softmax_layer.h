// The full softmax: a row and a bias for every word, all of them scored and updated at every step.
// The reference that the others are measured against.
#pragma once

#include <span>

#include "lm/heads/output_layer.h"

namespace cane::lm {

class SoftmaxLayer : public OutputLayer {
 public:
  SoftmaxLayer(std::span<const std::uint64_t> counts, std::int64_t width);

  torch::Tensor loss(const torch::Tensor& hidden, const TokenBatch& batch,
                     const torch::Tensor& step) override;
  torch::Tensor scores(const torch::Tensor& hidden) override;

 private:
  torch::Tensor class_rows_;
  torch::Tensor class_bias_;
};

}  // namespace cane::lm
