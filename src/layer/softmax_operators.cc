// The full softmax by blocks of classes: neither way keeps the scores of more than a block, whose
// size depends on the number of examples so that they fit into the cache of a GPU.
#include <torch/csrc/autograd/custom_function.h>

#include "layer/operators.h"

namespace cane::layer {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kScoresAtATime = std::int64_t{1} << 23;
constexpr std::int64_t kMinBlock = 256;

/// Calls body(first class, number of classes, scores of these) for blocks of all classes.
template <typename Body>
void for_each_block(const Tensor& hidden, const Tensor& weight, const Tensor& bias,
                    const Body& body) {
  const std::int64_t classes = weight.size(0);
  const std::int64_t examples = std::max<std::int64_t>(hidden.size(0), 1);
  const std::int64_t block = std::max(kMinBlock, kScoresAtATime / examples);
  for (std::int64_t begin = 0; begin < classes; begin += block) {
    const std::int64_t count = std::min(block, classes - begin);
    const Tensor rows = weight.narrow(0, begin, count).to(torch::kFloat32);
    body(begin, count, rows, torch::addmm(bias.narrow(0, begin, count), hidden, rows.t()));
  }
}

std::tuple<Tensor, Tensor> softmax_operator(const Tensor& hidden, const Tensor& weight,
                                            const Tensor& bias, const Tensor& target,
                                            double smoothing) {
  const PlainTensors plain;
  check_tables(hidden, weight, bias);
  Tensor log_normalizer =
      torch::full({hidden.size(0)}, -std::numeric_limits<float>::infinity(), hidden.options());
  Tensor total = torch::zeros_like(log_normalizer);
  for_each_block(hidden, weight, bias,
                 [&](std::int64_t, std::int64_t, const Tensor&, const Tensor& scores) {
                   log_normalizer = torch::logaddexp(log_normalizer, scores.logsumexp(1));
                   if (smoothing > 0) total += scores.sum(1);
                 });
  const Tensor label = target.clamp_min(0);
  const Tensor label_scores = (hidden * weight.index_select(0, label).to(torch::kFloat32)).sum(1) +
                              bias.index_select(0, label);
  const Tensor losses = log_normalizer - label_scores * (1.0 - smoothing) -
                        total * (smoothing / static_cast<double>(weight.size(0)));
  return {losses.masked_fill(target < 0, 0.0), log_normalizer};
}

std::tuple<Tensor, Tensor, Tensor> softmax_backward_operator(
    const Tensor& gradient, const Tensor& hidden, const Tensor& weight, const Tensor& bias,
    const Tensor& target, const Tensor& log_normalizer, double smoothing) {
  const PlainTensors plain;
  const Tensor scale = gradient.masked_fill(target < 0, 0.0);
  Tensor in_hidden = torch::zeros_like(hidden);
  const Tensor in_weight = torch::empty_like(weight);
  const Tensor in_bias = torch::empty_like(bias);
  const double share = smoothing / static_cast<double>(weight.size(0));
  for_each_block(
      hidden, weight, bias,
      [&](std::int64_t begin, std::int64_t count, const Tensor& rows, Tensor scores) {
        const Tensor in_scores =
            scores.sub_(log_normalizer.unsqueeze(1)).exp_().sub_(share).mul_(scale.unsqueeze(1));
        in_hidden.addmm_(in_scores, rows);
        in_weight.narrow(0, begin, count).copy_(in_scores.t().mm(hidden));
        in_bias.narrow(0, begin, count).copy_(in_scores.sum(0));
      });
  const Tensor label = target.clamp_min(0);
  const Tensor of_label = scale * (smoothing - 1.0);
  in_hidden.addcmul_(of_label.unsqueeze(1), weight.index_select(0, label).to(torch::kFloat32));
  in_weight.index_add_(0, label, (of_label.unsqueeze(1) * hidden).to(weight.scalar_type()));
  in_bias.index_add_(0, label, of_label);
  return {in_hidden, in_weight, in_bias};
}

struct SoftmaxLoss : torch::autograd::Function<SoftmaxLoss> {
  static variable_list forward(AutogradContext* context, const Tensor& hidden, const Tensor& weight,
                               const Tensor& bias, const Tensor& target, double smoothing) {
    const at::AutoDispatchBelowADInplaceOrView below;
    static const auto op = c10::Dispatcher::singleton()
                               .findSchemaOrThrow("cane::softmax_loss", "")
                               .typed<decltype(softmax_operator)>();
    const auto [losses, log_normalizer] = op.call(hidden, weight, bias, target, smoothing);
    context->save_for_backward({hidden, weight, bias, target, log_normalizer});
    context->saved_data["smoothing"] = smoothing;
    context->mark_non_differentiable({log_normalizer});
    return {losses, log_normalizer};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    TORCH_CHECK(!at::GradMode::is_enabled(),
                "cane: the softmax by blocks has no second derivative; take create_graph=False");
    static const auto back = c10::Dispatcher::singleton()
                                 .findSchemaOrThrow("cane::softmax_loss_backward", "")
                                 .typed<decltype(softmax_backward_operator)>();
    const auto saved = context->get_saved_variables();
    const auto [hidden, weight, bias] =
        back.call(gradients[0], saved[0], saved[1], saved[2], saved[3], saved[4],
                  context->saved_data["smoothing"].toDouble());
    return {hidden, weight, bias, {}, {}};
  }
};

std::tuple<Tensor, Tensor> softmax_autograd(const Tensor& hidden, const Tensor& weight,
                                            const Tensor& bias, const Tensor& target,
                                            double smoothing) {
  const variable_list results = SoftmaxLoss::apply(hidden, weight, bias, target, smoothing);
  return {results[0], results[1]};
}

void implement_softmax(torch::Library& library) {
  library.impl("softmax_loss", &softmax_operator);
  library.impl("softmax_loss_backward", &softmax_backward_operator);
}

}  // namespace
}  // namespace cane::layer

TORCH_LIBRARY_FRAGMENT(cane, library) {
  library.def(
      "softmax_loss(Tensor hidden, Tensor weight, Tensor bias, Tensor target, float smoothing) "
      "-> (Tensor, Tensor)");
  library.def(
      "softmax_loss_backward(Tensor gradient, Tensor hidden, Tensor weight, Tensor bias, "
      "Tensor target, Tensor log_normalizer, float smoothing) -> (Tensor, Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(cane, CPU, library) {
  cane::layer::implement_softmax(library);
}
#ifdef CANE_TORCH_CUDA
TORCH_LIBRARY_IMPL(cane, CUDA, library) {
  cane::layer::implement_softmax(library);
}
#endif
TORCH_LIBRARY_IMPL(cane, Autograd, library) {
  library.impl("softmax_loss", &cane::layer::softmax_autograd);
}
