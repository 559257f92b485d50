// The body of the language model: embedding and LSTM layers with projection (Sak et al. 2014), with
// dropout between them. The embedding table is not an ordinary parameter: a step reads few of its
// rows, and returns their gradients as rows. Everything else is a dense parameter.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "lm/body/body_options.h"
#include "lm/body/lstm_layer.h"
#include "lm/heads/output_layer.h"

namespace cane::lm {

/// State that the layers carry from one batch to the next: [layers, streams, width or hidden],
/// float32.
struct BodyState {
  torch::Tensor output;
  torch::Tensor cell;
};

class LstmBody : public torch::nn::Module {
 public:
  /// Draws the weights from the CPU generator. `computing` is the type of the products; weights,
  /// state and the table stay float32.
  LstmBody(std::int64_t words, const BodyOptions& options, torch::ScalarType computing);

  /// Uses the table of the output layer as the embedding. A table that requires a gradient gets a
  /// dense gradient; any other gets row gradients.
  void tie(const torch::Tensor& table) { table_ = table; }

  BodyState initial_state(std::int64_t streams, torch::Device device) const;
  /// Hidden states [length, streams, width] after inputs [length, streams]. The new state carries
  /// no gradient: back-propagation ends at the batch.
  torch::Tensor forward(const torch::Tensor& inputs, BodyState& state);

  /// Returns and clears the row gradients of the table that backward() has left since the last
  /// call.
  std::vector<RowGradient> take_row_gradients();

  const torch::Tensor& table() const { return table_; }

 private:
  torch::Tensor embed(const torch::Tensor& inputs);
  /// Runs lstm_layer on the CPU and, where sizes are multiples of a tile, folded_lstm on a GPU.
  template <typename Layer>
  torch::Tensor layer_by_layer(torch::Tensor hidden, BodyState& state,
                               const Layer& run_layer) const;
  /// Runs the LSTM of LibTorch (cuDNN).
  torch::Tensor all_layers(const torch::Tensor& embedded, BodyState& state) const;
  torch::Tensor dropped(const torch::Tensor& values) const;

  BodyOptions options_;
  torch::ScalarType computing_;
  torch::Tensor table_;
  std::vector<LstmWeights> layers_;
  torch::Tensor looked_up_;  // leaf: the rows of the last batch
  torch::Tensor looked_up_rows_;
};

}  // namespace cane::lm
