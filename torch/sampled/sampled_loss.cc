#include "torch/sampled/sampled_loss.h"

#include <torch/custom_class.h>

#include "torch/sampled/dispatch.h"

namespace cane::lm {
namespace {

// All that backward needs beside the saved tensors.
struct LossTask : torch::CustomClassHolder {
  Shortlists lists;
  RowTables tables;
  torch::Tensor subset_of_word;
  ObjectiveKind kind = ObjectiveKind::kCandidatesVsNoises;
  std::shared_ptr<RowGradientSink> sink;
  torch::Tensor shared_rows;  // [shared_words, width]; zero in the place of the label

  bool has_shared() const { return lists.shape.shared_candidates + lists.shape.shared_noises > 0; }
  torch::Tensor shared_part(const torch::Tensor& scores) const {
    return scores.narrow(1, lists.shape.first_shared_column(), lists.shape.shared_words());
  }
};

GatherArguments gather_arguments(const LossTask& task, const torch::Tensor& hidden,
                                 const torch::Tensor& scores) {
  GatherArguments arguments;
  arguments.shape = task.lists.shape;
  arguments.width = hidden.size(1);
  arguments.hidden = hidden.data_ptr<float>();
  arguments.weight = task.tables.weight.data_ptr<float>();
  arguments.bias = task.tables.bias.data_ptr<float>();
  arguments.token_words = task.lists.token_words.data_ptr<std::int32_t>();
  arguments.scores = scores.data_ptr<float>();
  return arguments;
}

PathArguments path_arguments(const LossTask& task, const torch::Tensor& scores,
                             const torch::Tensor& subset_scores) {
  PathArguments arguments;
  arguments.shape = task.lists.shape;
  arguments.subsets = subset_scores.size(1);
  arguments.subset_of_word = task.subset_of_word.data_ptr<std::int32_t>();
  arguments.token_words = task.lists.token_words.data_ptr<std::int32_t>();
  arguments.shared_words = task.lists.shared_words.data_ptr<std::int32_t>();
  arguments.scores = scores.data_ptr<float>();
  arguments.subset_scores = subset_scores.data_ptr<float>();
  return arguments;
}

torch::Tensor score(LossTask& task, const torch::Tensor& hidden, const torch::Tensor& subset_weight,
                    const torch::Tensor& subset_bias) {
  const ShortlistShape& shape = task.lists.shape;
  const torch::Tensor scores = torch::empty({shape.tokens, shape.stride()}, hidden.options());
  if (task.has_shared()) {
    const torch::Tensor rows = task.lists.shared_words.clamp_min(0);
    task.shared_rows = task.tables.weight.index_select(0, rows);
    task.shared_rows.select(0, shape.shared_candidates).zero_();
    torch::Tensor shared = task.shared_part(scores);
    torch::addmm_out(shared, task.tables.bias.index_select(0, rows), hidden, task.shared_rows.t());
  }
  on_device::gather_dot(gather_arguments(task, hidden, scores), hidden.device());
  if (subset_weight.numel() > 0) {
    const torch::Tensor subset_scores = torch::addmm(subset_bias, hidden, subset_weight.t());
    on_device::add_path_scores(path_arguments(task, scores, subset_scores), hidden.device());
  }
  return scores;
}

torch::Tensor apply_objective(const LossTask& task, const torch::Tensor& scores) {
  const Shortlists& lists = task.lists;
  const torch::Tensor losses = torch::empty({lists.shape.tokens}, scores.options());
  ObjectiveArguments arguments;
  arguments.candidates = lists.candidates();
  arguments.scores = scores.data_ptr<float>();
  arguments.log_q = lists.log_q.data_ptr<float>();
  arguments.label_at = lists.label_at.data_ptr<std::int32_t>();
  arguments.drawn = lists.drawn.data_ptr<std::int32_t>();
  arguments.losses = losses.data_ptr<float>();
  arguments.scale = 1.0F / static_cast<float>(lists.shape.tokens);
  on_device::objective(task.kind, static_cast<std::uint32_t>(task.tables.weight.size(0)), arguments,
                       scores.device());
  return losses.mean();
}

// `hidden` is already multiplied by the gradient of the loss.
void leave_row_gradients(const LossTask& task, const torch::Tensor& hidden,
                         const torch::Tensor& gradient, const torch::Tensor& loss_gradient) {
  const ShortlistShape& shape = task.lists.shape;
  const std::int64_t head = task.has_shared() ? shape.shared_words() : 0;
  const on_device::RowSums sums = on_device::sum_rows(
      gather_arguments(task, hidden, gradient), task.tables.weight.size(0), head, hidden.device());
  if (task.has_shared()) {
    const torch::Tensor shared = task.shared_part(gradient);
    sums.rows.narrow(0, 0, head).copy_(task.lists.shared_words);
    torch::Tensor values = sums.values.narrow(0, 0, head);
    torch::mm_out(values, shared.t(), hidden);
    torch::Tensor biases = sums.biases.narrow(0, 0, head);
    biases.copy_(shared.sum(0));
    // The label's place is no row.
    values.select(0, shape.shared_candidates).zero_();
    biases.select(0, shape.shared_candidates).zero_();
  }
  task.sink->push_back({task.tables.weight, sums.rows, sums.values});
  task.sink->push_back({task.tables.bias, sums.rows, sums.biases.mul(loss_gradient).unsqueeze(1)});
}

struct SampledLoss : torch::autograd::Function<SampledLoss> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& hidden, const torch::Tensor& subset_weight,
                               const torch::Tensor& subset_bias,
                               c10::intrusive_ptr<LossTask> task) {
    const torch::Tensor rows = hidden.contiguous();
    const torch::Tensor scores = score(*task, rows, subset_weight, subset_bias);
    const torch::Tensor loss = apply_objective(*task, scores);
    context->save_for_backward({rows, scores, subset_weight});
    context->saved_data["task"] = c10::IValue::make_capsule(std::move(task));
    return loss;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto capsule = context->saved_data["task"].toCapsule();
    const auto& task = static_cast<const LossTask&>(*capsule);
    const torch::Tensor& loss_gradient = gradients[0];
    const torch::Tensor& hidden = saved[0];
    const torch::Tensor& gradient = saved[1];  // in the scores
    const torch::Tensor& subset_weight = saved[2];

    torch::Tensor hidden_gradient = task.has_shared()
                                        ? task.shared_part(gradient).mm(task.shared_rows)
                                        : torch::zeros_like(hidden);
    GatherArguments back = gather_arguments(task, hidden, gradient);
    back.hidden_gradient = hidden_gradient.data_ptr<float>();
    on_device::gather_back(back, hidden.device());

    const torch::Tensor scaled = hidden.mul(loss_gradient);
    torch::Tensor subset_weight_gradient;
    torch::Tensor subset_bias_gradient;
    if (subset_weight.numel() > 0) {
      const torch::Tensor by_subset =
          torch::empty({hidden.size(0), subset_weight.size(0)}, hidden.options());
      on_device::sum_path_gradients(path_arguments(task, gradient, by_subset), hidden.device());
      hidden_gradient.addmm_(by_subset, subset_weight);
      subset_weight_gradient = by_subset.t().mm(scaled);
      subset_bias_gradient = by_subset.sum(0).mul(loss_gradient);
    }
    leave_row_gradients(task, scaled, gradient, loss_gradient);
    return {hidden_gradient.mul_(loss_gradient), subset_weight_gradient, subset_bias_gradient,
            torch::Tensor()};
  }
};

}  // namespace

torch::Tensor sampled_loss(const torch::Tensor& hidden, const RowTables& tables,
                           const SubsetTables& subsets, const Shortlists& lists, ObjectiveKind kind,
                           const std::shared_ptr<RowGradientSink>& sink) {
  auto task = c10::make_intrusive<LossTask>();
  task->lists = lists;
  task->tables = tables;
  task->subset_of_word = subsets.subset_of_word;
  task->kind = kind;
  task->sink = sink;
  // Autograd takes no undefined tensors: empty ones stand for no tree.
  const torch::Tensor none = torch::empty({0}, hidden.options());
  const bool has_tree = subsets.weight.defined();
  return SampledLoss::apply(hidden, has_tree ? subsets.weight : none,
                            has_tree ? subsets.bias : none, std::move(task));
}

}  // namespace cane::lm
