#include "lm/body/lstm_layer.h"

namespace cane::lm {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// A part of the gates of one step, [streams, hidden].
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
    const std::int64_t length = inputs.size(0);
    const std::int64_t streams = inputs.size(1);
    const std::int64_t hidden = first_cell.size(1);
    const bool projected = projection.numel() > 0;
    const torch::Tensor gates =
        torch::addmm(bias, inputs.flatten(0, 1), input_weights.t()).view({length, streams, -1});
    // Row 0 is the state before.
    const torch::Tensor cells = torch::empty({length + 1, streams, hidden}, inputs.options());
    const torch::Tensor outputs =
        torch::empty({length + 1, streams, first_output.size(1)}, inputs.options());
    const torch::Tensor bent = torch::empty({length, streams, hidden}, inputs.options());
    const torch::Tensor open = projected ? torch::empty_like(bent) : outputs.slice(0, 1);
    cells[0].copy_(first_cell);
    outputs[0].copy_(first_output);
    for (std::int64_t step = 0; step < length; ++step) {
      torch::Tensor now = gates[step];
      now.addmm_(outputs[step], recurrent_weights.t());
      now.slice(1, 0, 2 * hidden).sigmoid_();
      gate(now, 2).tanh_();
      gate(now, 3).sigmoid_();
      torch::Tensor cell = cells[step + 1];
      at::mul_out(cell, gate(now, 1), cells[step]);
      cell.addcmul_(gate(now, 0), gate(now, 2));
      torch::Tensor bent_now = bent[step];
      at::tanh_out(bent_now, cell);
      torch::Tensor open_now = open[step];
      at::mul_out(open_now, gate(now, 3), bent_now);
      if (!projected) continue;
      torch::Tensor output = outputs[step + 1];
      at::mm_out(output, open_now, projection.t());
    }
    context->save_for_backward(
        {inputs, input_weights, recurrent_weights, projection, gates, cells, outputs, bent, open});
    const torch::Tensor last_cell = cells[length].clone();
    context->mark_non_differentiable({last_cell});
    return {outputs.slice(0, 1), last_cell};
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& output_gradients) {
    const tensor_list saved = context->get_saved_variables();
    const torch::Tensor& inputs = saved[0];
    const torch::Tensor& recurrent_weights = saved[2];
    const torch::Tensor& projection = saved[3];
    const torch::Tensor& gates = saved[4];
    const torch::Tensor& cells = saved[5];
    const torch::Tensor& outputs = saved[6];
    const torch::Tensor& bent = saved[7];
    const bool projected = projection.numel() > 0;
    const std::int64_t length = inputs.size(0);
    // What arrives from above, and in the loop what arrives from the next step too.
    const torch::Tensor arriving = output_gradients[0].clone(torch::MemoryFormat::Contiguous);
    const torch::Tensor gate_gradients = torch::empty_like(gates);
    torch::Tensor cell_gradient = torch::zeros_like(cells[0]);
    for (std::int64_t step = length - 1; step >= 0; --step) {
      const torch::Tensor now = gates[step];
      const torch::Tensor change = gate_gradients[step];
      const torch::Tensor opened =
          projected ? torch::mm(arriving[step], projection) : arriving[step];
      cell_gradient.add_(at::tanh_backward(opened * gate(now, 3), bent[step]));
      fill(gate(change, 0), at::sigmoid_backward(cell_gradient * gate(now, 2), gate(now, 0)));
      fill(gate(change, 1), at::sigmoid_backward(cell_gradient * cells[step], gate(now, 1)));
      fill(gate(change, 2), at::tanh_backward(cell_gradient * gate(now, 0), gate(now, 2)));
      fill(gate(change, 3), at::sigmoid_backward(opened * bent[step], gate(now, 3)));
      cell_gradient.mul_(gate(now, 1));
      if (step > 0) arriving[step - 1].addmm_(change, recurrent_weights);
    }
    const torch::Tensor changes = gate_gradients.flatten(0, 1);
    const torch::Tensor before = outputs.slice(0, 0, length).flatten(0, 1);
    return {
        torch::mm(changes, saved[1]).view_as(inputs),
        torch::mm(changes.t(), inputs.flatten(0, 1)),
        torch::mm(changes.t(), before),
        changes.sum(0),
        projected ? torch::mm(arriving.flatten(0, 1).t(), saved[8].flatten(0, 1)) : torch::Tensor(),
        torch::Tensor(),
        torch::Tensor()};
  }

 private:
  static void fill(torch::Tensor to, const torch::Tensor& from) { to.copy_(from); }
};

}  // namespace

torch::Tensor lstm_layer(const torch::Tensor& inputs, const LstmWeights& weights,
                         torch::Tensor& output, torch::Tensor& cell) {
  // A function of LibTorch takes no undefined tensors.
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
