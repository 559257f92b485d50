#include "lm/body/lstm_layer.h"

#ifdef CANE_TORCH_CUDA
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

cuda::LstmShape lstm_shape(const torch::Tensor& hiddens) {
  return {hiddens.size(0), hiddens.size(1), hiddens.size(2)};
}

template <typename Number>
void run_forward(const torch::Tensor& recurrent, const torch::Tensor& gates,
                 const torch::Tensor& cells, const torch::Tensor& hiddens) {
  cuda::LstmForward<Number> task;
  task.shape = lstm_shape(hiddens);
  task.recurrent = numbers_of<Number>(recurrent);
  task.gates = numbers_of<Number>(gates);
  task.cells = numbers_of<float>(cells);
  task.hiddens = numbers_of<Number>(hiddens);
  cuda::lstm_forward(task, stream_of(hiddens));
}

template <typename Number>
void run_backward(const torch::Tensor& recurrent, const torch::Tensor& gates,
                  const torch::Tensor& cells, const torch::Tensor& grad_hiddens,
                  const torch::Tensor& grad_gates) {
  cuda::LstmBackward<Number> task;
  task.shape = lstm_shape(grad_hiddens);
  task.recurrent = numbers_of<Number>(recurrent);
  task.gates = numbers_of<Number>(gates);
  task.cells = numbers_of<float>(cells);
  task.grad_hiddens = numbers_of<Number>(grad_hiddens);
  task.grad_gates = numbers_of<Number>(grad_gates);
  cuda::lstm_backward(task, stream_of(cells));
}

/// All tensors but the cells have the same type. If the projection is empty, the outputs are the
/// hidden states.
class FoldedLstm : public torch::autograd::Function<FoldedLstm> {
 public:
  static tensor_list forward(AutogradContext* context, const torch::Tensor& inputs,
                             const torch::Tensor& input_weights,
                             const torch::Tensor& recurrent_weights, const torch::Tensor& bias,
                             const torch::Tensor& projection, const torch::Tensor& first_output,
                             const torch::Tensor& first_cell) {
    const LstmForwardPass pass(inputs, input_weights, bias, projection, first_cell);
    pass.gates[0].addmm_(first_output, recurrent_weights.t());
    const torch::Tensor folded =
        pass.projected ? recurrent_weights.mm(projection) : recurrent_weights;
    const torch::Tensor hiddens =
        torch::empty({pass.length, pass.streams, first_cell.size(1)}, inputs.options());
    if (inputs.scalar_type() == torch::kFloat32) {
      run_forward<float>(folded, pass.gates, pass.cells, hiddens);
    } else {
      run_forward<__nv_bfloat16>(folded, pass.gates, pass.cells, hiddens);
    }
    const torch::Tensor outputs = pass.projected ? hiddens.matmul(projection.t()) : hiddens;
    context->save_for_backward({inputs, input_weights, recurrent_weights, projection, first_output,
                                folded, pass.gates, pass.cells, hiddens, outputs});
    return pass.results(context, outputs);
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& grad_outputs) {
    const tensor_list saved = context->get_saved_variables();
    const torch::Tensor& inputs = saved[0];
    const torch::Tensor& recurrent_weights = saved[2];
    const torch::Tensor& projection = saved[3];
    const torch::Tensor& gates = saved[6];
    const torch::Tensor& hiddens = saved[8];
    const bool projected = projection.numel() > 0;
    const torch::Tensor grad_output = grad_outputs[0].contiguous();
    const torch::Tensor grad_hiddens = projected ? grad_output.matmul(projection) : grad_output;
    const torch::Tensor grad_gates = torch::empty_like(gates);
    if (inputs.scalar_type() == torch::kFloat32) {
      run_backward<float>(saved[5], gates, saved[7], grad_hiddens, grad_gates);
    } else {
      run_backward<__nv_bfloat16>(saved[5], gates, saved[7], grad_hiddens, grad_gates);
    }
    torch::Tensor grad_projection;
    if (projected) {
      // An output goes to the layer above and to the gates of the next step.
      const torch::Tensor total = grad_output.clone().flatten(0, 1);
      const std::int64_t streams = inputs.size(1);
      total.slice(0, 0, total.size(0) - streams)
          .addmm_(grad_gates.flatten(0, 1).slice(0, streams), recurrent_weights);
      grad_projection = total.t().mm(hiddens.flatten(0, 1));
    }
    const torch::Tensor outputs_before =
        torch::cat({saved[4].unsqueeze(0), saved[9].slice(0, 0, inputs.size(0) - 1)}).flatten(0, 1);
    return lstm_gradients(inputs, saved[1], grad_gates, outputs_before, grad_projection);
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
