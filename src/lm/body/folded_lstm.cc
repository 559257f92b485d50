#include "lm/body/folded_lstm.h"

#ifdef CANE_LM_CUDA
#include <c10/cuda/CUDAStream.h>

#include "lm/body/cuda/folded_lstm.h"

namespace cane::lm {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

cudaStream_t stream_of(const torch::Tensor& tensor) {
  return c10::cuda::getCurrentCUDAStream(tensor.device().index()).stream();
}

template <typename Number>
Number* numbers_of(const torch::Tensor& tensor) {
  return static_cast<Number*>(tensor.data_ptr());
}

cuda::LstmShape lstm_shape(const torch::Tensor& opened) {
  return {opened.size(0), opened.size(1), opened.size(2)};
}

template <typename Number>
void run_forward(const torch::Tensor& recurrent, const torch::Tensor& gates,
                 const torch::Tensor& cells, const torch::Tensor& opened) {
  cuda::LstmForward<Number> task;
  task.shape = lstm_shape(opened);
  task.recurrent = numbers_of<Number>(recurrent);
  task.gates = numbers_of<Number>(gates);
  task.cells = numbers_of<float>(cells);
  task.opened = numbers_of<Number>(opened);
  cuda::lstm_forward(task, stream_of(opened));
}

template <typename Number>
void run_backward(const torch::Tensor& recurrent, const torch::Tensor& gates,
                  const torch::Tensor& cells, const torch::Tensor& opened_gradient,
                  const torch::Tensor& gate_gradient) {
  cuda::LstmBackward<Number> task;
  task.shape = lstm_shape(opened_gradient);
  task.recurrent = numbers_of<Number>(recurrent);
  task.gates = numbers_of<Number>(gates);
  task.cells = numbers_of<float>(cells);
  task.opened_gradient = numbers_of<Number>(opened_gradient);
  task.gate_gradient = numbers_of<Number>(gate_gradient);
  cuda::lstm_backward(task, stream_of(cells));
}

/// All tensors but the cells are of one type. An empty projection: outputs are the opened cells.
class FoldedLstm : public torch::autograd::Function<FoldedLstm> {
 public:
  static tensor_list forward(AutogradContext* context, const torch::Tensor& inputs,
                             const torch::Tensor& input_weights,
                             const torch::Tensor& recurrent_weights, const torch::Tensor& bias,
                             const torch::Tensor& projection, const torch::Tensor& first_output,
                             const torch::Tensor& first_cell) {
    const std::int64_t length = inputs.size(0);
    const std::int64_t streams = inputs.size(1);
    const std::int64_t hidden = first_cell.size(1);
    const bool projected = projection.numel() > 0;
    const torch::Tensor gates =
        torch::addmm(bias, inputs.flatten(0, 1), input_weights.t()).view({length, streams, -1});
    gates[0].addmm_(first_output, recurrent_weights.t());
    const torch::Tensor folded = projected ? recurrent_weights.mm(projection) : recurrent_weights;
    const torch::Tensor opened = torch::empty({length, streams, hidden}, inputs.options());
    const torch::Tensor cells =
        torch::empty({length + 1, streams, hidden}, inputs.options().dtype(torch::kFloat32));
    cells[0].copy_(first_cell);
    if (inputs.scalar_type() == torch::kFloat32) {
      run_forward<float>(folded, gates, cells, opened);
    } else {
      run_forward<__nv_bfloat16>(folded, gates, cells, opened);
    }
    const torch::Tensor outputs = projected ? opened.matmul(projection.t()) : opened;
    context->save_for_backward({inputs, input_weights, recurrent_weights, projection, first_output,
                                folded, gates, cells, opened, outputs});
    const torch::Tensor last_cell = cells[length].clone();
    context->mark_non_differentiable({last_cell});
    return {outputs, last_cell};
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& output_gradients) {
    const tensor_list saved = context->get_saved_variables();
    const torch::Tensor& inputs = saved[0];
    const torch::Tensor& recurrent_weights = saved[2];
    const torch::Tensor& projection = saved[3];
    const torch::Tensor& opened = saved[8];
    const bool projected = projection.numel() > 0;
    const std::int64_t length = inputs.size(0);
    const torch::Tensor arriving = output_gradients[0].contiguous();
    const torch::Tensor opened_gradient = projected ? arriving.matmul(projection) : arriving;
    const torch::Tensor gate_gradient = torch::empty_like(saved[6]);
    if (inputs.scalar_type() == torch::kFloat32) {
      run_backward<float>(saved[5], saved[6], saved[7], opened_gradient, gate_gradient);
    } else {
      run_backward<__nv_bfloat16>(saved[5], saved[6], saved[7], opened_gradient, gate_gradient);
    }
    const torch::Tensor changes = gate_gradient.flatten(0, 1);
    const torch::Tensor before =
        torch::cat({saved[4].unsqueeze(0), saved[9].slice(0, 0, length - 1)}).flatten(0, 1);
    torch::Tensor projection_gradient;
    if (projected) {
      // An output goes up, and to the gates of the next step.
      const torch::Tensor outputs = arriving.clone().flatten(0, 1);
      const std::int64_t later = inputs.size(1);
      outputs.slice(0, 0, outputs.size(0) - later)
          .addmm_(changes.slice(0, later), recurrent_weights);
      projection_gradient = outputs.t().mm(opened.flatten(0, 1));
    }
    return {changes.mm(saved[1]).view_as(inputs),
            changes.t().mm(inputs.flatten(0, 1)),
            changes.t().mm(before),
            changes.sum(0),
            projection_gradient,
            torch::Tensor(),
            torch::Tensor()};
  }
};

}  // namespace

bool lstm_folds(torch::Device device, std::int64_t streams, std::int64_t hidden,
                torch::ScalarType computing) {
  if (!device.is_cuda()) return false;
  return cuda::folded_lstm_fits({1, streams, hidden}, c10::elementSize(computing));
}

torch::Tensor folded_lstm(const torch::Tensor& inputs, const LstmWeights& weights,
                          torch::Tensor& output, torch::Tensor& cell, torch::ScalarType computing) {
  const auto as_computed = [&](const torch::Tensor& tensor) { return tensor.to(computing); };
  const torch::Tensor projection = weights.projection.defined()
                                       ? as_computed(weights.projection)
                                       : torch::empty({0}, inputs.options().dtype(computing));
  const tensor_list results = FoldedLstm::apply(
      as_computed(inputs).contiguous(), as_computed(weights.input), as_computed(weights.recurrent),
      as_computed(weights.bias), projection, as_computed(output), cell);
  output = results[0][inputs.size(0) - 1].detach().to(torch::kFloat32);
  cell = results[1].detach();
  return results[0];
}

}  // namespace cane::lm

#else

namespace cane::lm {

bool lstm_folds(torch::Device /*device*/, std::int64_t /*streams*/, std::int64_t /*hidden*/,
                torch::ScalarType /*computing*/) {
  return false;
}

torch::Tensor folded_lstm(const torch::Tensor& /*inputs*/, const LstmWeights& /*weights*/,
                          torch::Tensor& /*output*/, torch::Tensor& /*cell*/,
                          torch::ScalarType /*computing*/) {
  TORCH_CHECK(false, "built without CUDA");
}

}  // namespace cane::lm

#endif
