// One layer of LSTM with projection (Sak et al. 2014) over a whole batch, for the CPU. LibTorch's
// own goes from step to step on the way back too, and multiplies small matrices for the gradients
// of the weights at each of them; here these are one product over all steps.
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
/// and weights. `output` [streams, width] and `cell` [streams, hidden] are the state before, and
/// become the one after; no gradient goes through them.
torch::Tensor lstm_layer(const torch::Tensor& inputs, const LstmWeights& weights,
                         torch::Tensor& output, torch::Tensor& cell);

}  // namespace cane::lm
