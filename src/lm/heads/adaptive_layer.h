// PyTorch's adaptive softmax (Grave et al. 2017), to compare with: frequent words in a short list,
// the others in clusters of falling width. It expects words numbered by falling count.
#pragma once

#include "lm/heads/output_layer.h"

namespace cane::lm {

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
