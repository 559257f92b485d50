// An output layer of a language model: a score for each word given a hidden state, and a loss to
// train these scores with. Class rows are not ordinary parameters: a step touches few of them, so
// their gradients are returned as rows, and their cost does not depend on the size of the
// vocabulary.
#pragma once

#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lm/heads/row_gradient.h"

namespace cane::lm {

/// Continuous text, cut into parallel streams: inputs and labels are [length, streams], int64, on
/// the device of the model; labels[t] is the word after inputs[t].
struct TokenBatch {
  torch::Tensor inputs;
  torch::Tensor labels;
};

/// Initial biases of the words: the logarithms of their frequencies. Before training, the scores
/// are then the scores of a unigram model, and nearly normalised.
inline torch::Tensor start_bias(std::span<const std::uint64_t> counts) {
  double total = 0.0;
  for (const std::uint64_t count : counts) total += static_cast<double>(count) + 1.0;
  std::vector<float> bias;
  bias.reserve(counts.size());
  for (const std::uint64_t count : counts) {
    bias.push_back(static_cast<float>(std::log((static_cast<double>(count) + 1.0) / total)));
  }
  return torch::tensor(bias);
}

class OutputLayer : public torch::nn::Module {
 public:
  /// The mean loss over all tokens, differentiable in hidden [length, streams, width]. `step` is a
  /// scalar int64 tensor on the device that counts batches from the start of training. Together
  /// with the seed of the layer it determines every draw, identically on all devices.
  virtual torch::Tensor loss(const torch::Tensor& hidden, const TokenBatch& batch,
                             const torch::Tensor& step) = 0;

  /// Returns and clears the row gradients that backward() has left since the last call. Dense
  /// layers have parameters() and return nothing.
  virtual std::vector<RowGradient> take_row_gradients() { return {}; }

  /// Scores of all words [tokens, words] for hidden [tokens, width]; p is their softmax.
  virtual torch::Tensor scores(const torch::Tensor& hidden) = 0;

  /// Whether loss() neither waits for the device nor makes tensors of a size that depends on data,
  /// so that a step can be recorded.
  virtual bool is_recordable() const { return true; }

  /// Share of the labels that were among the candidates since the last call; negative where the
  /// layer has no candidates.
  virtual double take_coverage() { return -1.0; }
};

}  // namespace cane::lm
