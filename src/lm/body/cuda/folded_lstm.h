// The steps of an LSTM layer on the GPU, one kernel for all steps in each direction. A block keeps
// the weights of its cells in shared memory, and the blocks synchronise after every step. The
// recurrent weights lead from cells to gates, [4 hidden, hidden]: if outputs are projected, they
// are the product of projection and recurrent weights. The functions take plain device pointers and
// never wait for the device, so they can be recorded in a graph.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

namespace cane::lm::cuda {

struct LstmShape {
  std::int64_t length = 0;
  std::int64_t streams = 0;
  std::int64_t hidden = 0;
};

/// Whether the kernels can run on the current device: sizes are multiples of a tile, a
/// multiprocessor has room for the weights of its cells, and there is a multiprocessor for each
/// tile of cells and streams. (With more streams a step has enough work for cuDNN, which was faster
/// with 256.)
bool folded_lstm_fits(const LstmShape& shape, std::size_t number_bytes);

/// Number is float, with products in TF32, or __nv_bfloat16. Gates are in the order i, f, g, o.
template <typename Number>
struct LstmForward {
  LstmShape shape;
  const Number* recurrent = nullptr;  // [4 hidden, hidden]
  // [length, streams, 4 hidden]: in, the contribution of inputs, bias and the previous output; out,
  // the gates.
  Number* gates = nullptr;
  float* cells = nullptr;     // [length + 1, streams, hidden]; the first one is read
  Number* hiddens = nullptr;  // [length, streams, hidden] out: gate o times tanh of the cell
};
template <typename Number>
void lstm_forward(const LstmForward<Number>& task, cudaStream_t stream);

template <typename Number>
struct LstmBackward {
  LstmShape shape;
  const Number* recurrent = nullptr;
  const Number* gates = nullptr;
  const float* cells = nullptr;
  // [length, streams, hidden]: gradient from the layer above, without that from later steps
  const Number* grad_hiddens = nullptr;
  Number* grad_gates = nullptr;  // [length, streams, 4 hidden] out
};
template <typename Number>
void lstm_backward(const LstmBackward<Number>& task, cudaStream_t stream);

}  // namespace cane::lm::cuda
