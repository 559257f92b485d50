// Output layers that touch every word in every step; the baselines for the others.
#pragma once

#include <span>

#include "lm/heads/output_layer.h"

namespace cane::lm {

/// The full softmax: a row and a bias for every word, all of them scored and updated at every step.
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

/// PyTorch's adaptive softmax (Grave et al. 2017): frequent words in a short list, the others in
/// clusters of decreasing width. It expects words numbered by decreasing count.
class AdaptiveLayer : public OutputLayer {
 public:
  AdaptiveLayer(std::int64_t words, std::int64_t width);

  torch::Tensor loss(const torch::Tensor& hidden, const TokenBatch& batch,
                     const torch::Tensor& step) override;
  torch::Tensor scores(const torch::Tensor& hidden) override;
  bool is_recordable() const override { return false; }

 private:
  torch::nn::AdaptiveLogSoftmaxWithLoss softmax_ = nullptr;
};

}  // namespace cane::lm
