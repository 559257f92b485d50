#include "lm/body/lstm_layer.h"

namespace cane::lm {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// Selects one of the four gates of a step, [streams, hidden], from all of them.
torch::Tensor gate(const torch::Tensor& gates, std::int64_t index) {
  const std::int64_t hidden = gates.size(1) / 4;
  return gates.slice(1, index * hidden, (index + 1) * hidden);
}

class LstmLayer : public torch::autograd::Function<LstmLayer> {
 public:
  static tensor_list forward(AutogradContext* context, const torch::Tensor& inputs,
                             const torch::Tensor& input_weights,
                             const torch::Tensor& recurrent_weights, const torch::Tensor& bias,
                             const torch::Tensor& projection, const torch::Tensor& first_output,
                             const torch::Tensor& first_cell) {
    const LstmForwardPass pass(inputs, input_weights, bias, projection, first_cell);
    const std::int64_t hidden = first_cell.size(1);
    const torch::Tensor tanh_cells =
        torch::empty({pass.length, pass.streams, hidden}, inputs.options());
    // Row 0 is the output before the first step.
    const torch::Tensor outputs =
        torch::empty({pass.length + 1, pass.streams, first_output.size(1)}, inputs.options());
    const torch::Tensor hiddens =
        pass.projected ? torch::empty_like(tanh_cells) : outputs.slice(0, 1);
    outputs[0].copy_(first_output);
    for (std::int64_t step = 0; step < pass.length; ++step) {
      torch::Tensor gates_t = pass.gates[step];
      gates_t.addmm_(outputs[step], recurrent_weights.t());
      gates_t.slice(1, 0, 2 * hidden).sigmoid_();
      gate(gates_t, 2).tanh_();
      gate(gates_t, 3).sigmoid_();
      torch::Tensor cell = pass.cells[step + 1];
      at::mul_out(cell, gate(gates_t, 1), pass.cells[step]);
      cell.addcmul_(gate(gates_t, 0), gate(gates_t, 2));
      torch::Tensor tanh_cell = tanh_cells[step];
      at::tanh_out(tanh_cell, cell);
      torch::Tensor hidden_t = hiddens[step];
      at::mul_out(hidden_t, gate(gates_t, 3), tanh_cell);
      if (!pass.projected) continue;
      torch::Tensor output = outputs[step + 1];
      at::mm_out(output, hidden_t, projection.t());
    }
    context->save_for_backward({inputs, input_weights, recurrent_weights, projection, pass.gates,
                                pass.cells, outputs, tanh_cells, hiddens});
    return pass.results(context, outputs.slice(0, 1));
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& grad_outputs) {
    const tensor_list saved = context->get_saved_variables();
    const torch::Tensor& inputs = saved[0];
    const torch::Tensor& recurrent_weights = saved[2];
    const torch::Tensor& projection = saved[3];
    const torch::Tensor& gates = saved[4];
    const torch::Tensor& cells = saved[5];
    const torch::Tensor& outputs = saved[6];
    const torch::Tensor& tanh_cells = saved[7];
    const bool projected = projection.numel() > 0;
    const std::int64_t length = inputs.size(0);
    // The gradient from the layer above; the loop adds the one from the next step.
    const torch::Tensor grad_output = grad_outputs[0].clone(torch::MemoryFormat::Contiguous);
    const torch::Tensor all_grad_gates = torch::empty_like(gates);
    torch::Tensor grad_cell = torch::zeros_like(cells[0]);
    for (std::int64_t step = length - 1; step >= 0; --step) {
      const torch::Tensor gates_t = gates[step];
      const torch::Tensor grad_gates = all_grad_gates[step];
      const torch::Tensor grad_hidden =
          projected ? torch::mm(grad_output[step], projection) : grad_output[step];
      grad_cell.add_(at::tanh_backward(grad_hidden * gate(gates_t, 3), tanh_cells[step]));
      fill(gate(grad_gates, 0),
           at::sigmoid_backward(grad_cell * gate(gates_t, 2), gate(gates_t, 0)));
      fill(gate(grad_gates, 1), at::sigmoid_backward(grad_cell * cells[step], gate(gates_t, 1)));
      fill(gate(grad_gates, 2), at::tanh_backward(grad_cell * gate(gates_t, 0), gate(gates_t, 2)));
      fill(gate(grad_gates, 3),
           at::sigmoid_backward(grad_hidden * tanh_cells[step], gate(gates_t, 3)));
      grad_cell.mul_(gate(gates_t, 1));
      if (step > 0) grad_output[step - 1].addmm_(grad_gates, recurrent_weights);
    }
    const torch::Tensor grad_projection =
        projected ? torch::mm(grad_output.flatten(0, 1).t(), saved[8].flatten(0, 1))
                  : torch::Tensor();
    return lstm_gradients(inputs, saved[1], all_grad_gates,
                          outputs.slice(0, 0, length).flatten(0, 1), grad_projection);
  }

 private:
  static void fill(torch::Tensor to, const torch::Tensor& from) { to.copy_(from); }
};

}  // namespace

LstmForwardPass::LstmForwardPass(const torch::Tensor& inputs, const torch::Tensor& input_weights,
                                 const torch::Tensor& bias, const torch::Tensor& projection,
                                 const torch::Tensor& first_cell)
    : length(inputs.size(0)),
      streams(inputs.size(1)),
      projected(projection.numel() > 0),
      gates(
          torch::addmm(bias, inputs.flatten(0, 1), input_weights.t()).view({length, streams, -1})),
      cells(torch::empty({length + 1, streams, first_cell.size(1)}, first_cell.options())) {
  cells[0].copy_(first_cell);
}

tensor_list LstmForwardPass::results(AutogradContext* context, const torch::Tensor& outputs) const {
  const torch::Tensor last_cell = cells[length].clone();
  context->mark_non_differentiable({last_cell});
  return {outputs, last_cell};
}

tensor_list lstm_gradients(const torch::Tensor& inputs, const torch::Tensor& input_weights,
                           const torch::Tensor& grad_gates, const torch::Tensor& outputs_before,
                           const torch::Tensor& grad_projection) {
  const torch::Tensor grads = grad_gates.flatten(0, 1);
  return {grads.mm(input_weights).view_as(inputs),
          grads.t().mm(inputs.flatten(0, 1)),
          grads.t().mm(outputs_before),
          grads.sum(0),
          grad_projection,
          torch::Tensor(),
          torch::Tensor()};
}

torch::Tensor lstm_layer(const torch::Tensor& inputs, const LstmWeights& weights,
                         torch::Tensor& output, torch::Tensor& cell) {
  // LibTorch functions do not accept undefined tensors.
  const torch::Tensor projection =
      weights.projection.defined() ? weights.projection : torch::empty({0}, inputs.options());
  const tensor_list results =
      LstmLayer::apply(inputs.contiguous(), weights.input, weights.recurrent, weights.bias,
                       projection, output, cell);
  output = results[0][inputs.size(0) - 1].detach().clone();
  cell = results[1].detach();
  return results[0];
}

}  // namespace cane::lm
