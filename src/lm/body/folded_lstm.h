// A layer of LSTM on a GPU whose steps run inside one kernel each way. Between steps only the cells
// go round: the projection is folded into the recurrent weights,
//   gates_t = W x_t + R P m_(t-1),   outputs = P m,
// so that projection, outputs and the gradients of all weights are products over the whole batch,
// and a step waits for one small product instead of two.
#pragma once

#include "lm/body/lstm_layer.h"

namespace cane::lm {

/// Whether it can run on this device and for these sizes. Otherwise LibTorch's own has to.
bool lstm_folds(torch::Device device, std::int64_t streams, std::int64_t hidden,
                torch::ScalarType computing);

/// As lstm_layer; products are of `computing`, float32 (as TF32) or bfloat16, and so is the result.
torch::Tensor folded_lstm(const torch::Tensor& inputs, const LstmWeights& weights,
                          torch::Tensor& output, torch::Tensor& cell, torch::ScalarType computing);

}  // namespace cane::lm
