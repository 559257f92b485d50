// One LSTM layer with projection (Sak et al. 2014) over a whole batch, for the CPU. LibTorch's own
// layer goes step by step in the backward pass too, and multiplies small matrices for the weight
// gradients at each step; here the weight gradients are one product over all steps.
#pragma once

#include <torch/torch.h>

namespace cane::lm {

struct LstmWeights {
  torch::Tensor input;       // [4 hidden, input]; gates in the order of LibTorch: i, f, g, o
  torch::Tensor recurrent;   // [4 hidden, width]
  torch::Tensor bias;        // [4 hidden]
  torch::Tensor projection;  // [width, hidden]; undefined: not projected
};

/// Outputs [length, streams, width] for inputs [length, streams, input], differentiable in inputs
/// and weights. `output` [streams, width] and `cell` [streams, hidden] hold the state before the
/// batch and are replaced by the state after it; no gradient flows through them.
torch::Tensor lstm_layer(const torch::Tensor& inputs, const LstmWeights& weights,
                         torch::Tensor& output, torch::Tensor& cell);

/// Whether folded_lstm can run on this device with these sizes.
bool lstm_folds(torch::Device device, std::int64_t streams, std::int64_t hidden,
                torch::ScalarType computing);

/// The same layer on a GPU, with all steps inside one kernel per direction. Only the cells are
/// exchanged between steps: the projection is folded into the recurrent weights,
///   gates_t = W x_t + R P m_(t-1),   outputs = P m,
/// so that projection, outputs and the gradients of all weights are products over the whole batch,
/// and a step waits for one small product instead of two. Products are computed in `computing`,
/// float32 (as TF32) or bfloat16, which is also the type of the result.
torch::Tensor folded_lstm(const torch::Tensor& inputs, const LstmWeights& weights,
                          torch::Tensor& output, torch::Tensor& cell, torch::ScalarType computing);

/// The beginning and end of the forward pass, which all implementations of the layer share. An
/// empty projection means no projection.
struct LstmForwardPass {
  LstmForwardPass(const torch::Tensor& inputs, const torch::Tensor& input_weights,
                  const torch::Tensor& bias, const torch::Tensor& projection,
                  const torch::Tensor& first_cell);

  /// The outputs and the last cell; no gradient flows through the cell.
  torch::autograd::tensor_list results(torch::autograd::AutogradContext* context,
                                       const torch::Tensor& outputs) const;

  std::int64_t length;
  std::int64_t streams;
  bool projected;
  torch::Tensor gates;  // [length, streams, 4 hidden]: contribution of inputs and bias
  torch::Tensor cells;  // [length + 1, streams, hidden]; row 0, the previous state, sets the type
};

/// The gradients of inputs, input weights, recurrent weights, bias and projection, computed from
/// the gradients of the gates [length, streams, 4 hidden]; the state gets none. `outputs_before`
/// [length * streams, width] is what the recurrent weights were multiplied with.
torch::autograd::tensor_list lstm_gradients(const torch::Tensor& inputs,
                                            const torch::Tensor& input_weights,
                                            const torch::Tensor& grad_gates,
                                            const torch::Tensor& outputs_before,
                                            const torch::Tensor& grad_projection);

}  // namespace cane::lm
