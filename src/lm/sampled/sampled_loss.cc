#include "lm/sampled/sampled_loss.h"

#include <torch/custom_class.h>

#include "lm/sampled/dispatch.h"

namespace cane::lm {
namespace {

// Everything that backward needs in addition to the saved tensors.
struct LossTask : torch::CustomClassHolder {
  Shortlists lists;
  RowTables tables;
  torch::Tensor subset_of_word;
  Method kind = Method::kCane;
  std::shared_ptr<RowGradientSink> sink;
  torch::Tensor shared_rows;  // [shared_columns, wide]; zero where there is no word

  bool has_shared() const { return lists.shape.shared_candidates + lists.shape.shared_noises > 0; }
  torch::Tensor shared_part(const torch::Tensor& scores) const {
    return scores.narrow(1, lists.shape.first_shared_column(), lists.shape.shared_columns());
  }
};

/// The width of rows of hidden states and words with a place for the bias, padded to whole vectors.
std::int64_t wide(std::int64_t width) {
  constexpr std::int64_t kVector = 8;
  return (width + 1 + kVector - 1) / kVector * kVector;
}

torch::Tensor widened(WidenArguments task, const torch::TensorOptions& options) {
  const torch::Tensor out = torch::empty({task.count, task.wide}, options);
  task.out = out.data_ptr<float>();
  on_device::widen(task, out.device());
  return out;
}

/// hidden [tokens, width] with a one in the place of the bias, multiplied by `scale`.
torch::Tensor widened_hidden(const torch::Tensor& hidden, const float* scale) {
  WidenArguments task;
  task.count = hidden.size(0);
  task.width = hidden.size(1);
  task.wide = wide(task.width);
  task.rows = hidden.data_ptr<float>();
  task.scale = scale;
  return widened(task, hidden.options());
}

torch::Tensor widened_rows(const RowTables& tables, const torch::Tensor& words) {
  WidenArguments task;
  task.count = words.numel();
  task.width = tables.weight.size(1);
  task.wide = wide(task.width);
  task.words = words.data_ptr<std::int32_t>();
  task.rows = tables.weight.data_ptr<float>();
  task.biases = tables.bias.data_ptr<float>();
  return widened(task, tables.weight.options().requires_grad(false));
}

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
    task.shared_rows = widened_rows(task.tables, task.lists.shared_words);
    torch::Tensor shared = task.shared_part(scores);
    torch::mm_out(shared, widened_hidden(hidden, nullptr), task.shared_rows.t());
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

// The gradients of rows and biases, which are adjacent. `hidden` is widened, and multiplied by the
// gradient of the loss.
void leave_row_gradients(const LossTask& task, const torch::Tensor& hidden, std::int64_t width,
                         const torch::Tensor& gradient) {
  torch::Tensor shared;
  RowSumArguments sum;
  sum.shape = task.lists.shape;
  sum.words = task.tables.weight.size(0);
  sum.width = hidden.size(1);
  sum.token_words = task.lists.token_words.data_ptr<std::int32_t>();
  sum.hidden = hidden.data_ptr<float>();
  sum.gradient = gradient.data_ptr<float>();
  if (task.has_shared()) {
    shared = task.shared_part(gradient).t().mm(hidden);
    sum.shared = shared.size(0);
    sum.shared_words = task.lists.shared_words.data_ptr<std::int32_t>();
    sum.shared_rows = shared.data_ptr<float>();
  }
  const on_device::RowSums sums = on_device::sum_rows(sum, hidden.device());
  task.sink->push_back({task.tables.weight, sums.rows, sums.values.narrow(1, 0, width), true});
  task.sink->push_back({task.tables.bias, sums.rows, sums.values.narrow(1, width, 1), true});
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

    const std::int64_t width = hidden.size(1);
    // Comes first, since cuBLAS warns if the thread has not used the GPU before.
    const torch::Tensor scaled = widened_hidden(hidden, loss_gradient.data_ptr<float>());
    torch::Tensor hidden_gradient =
        task.has_shared() ? task.shared_part(gradient).mm(task.shared_rows.narrow(1, 0, width))
                          : torch::zeros_like(hidden);
    GatherArguments back = gather_arguments(task, hidden, gradient);
    back.hidden_gradient = hidden_gradient.data_ptr<float>();
    on_device::gather_back(back, hidden.device());

    torch::Tensor subset_weight_gradient;
    torch::Tensor subset_bias_gradient;
    if (subset_weight.numel() > 0) {
      const torch::Tensor by_subset =
          torch::empty({hidden.size(0), subset_weight.size(0)}, hidden.options());
      on_device::sum_path_gradients(path_arguments(task, gradient, by_subset), hidden.device());
      hidden_gradient.addmm_(by_subset, subset_weight);
      subset_weight_gradient = by_subset.t().mm(scaled.narrow(1, 0, width));
      subset_bias_gradient = by_subset.sum(0).mul(loss_gradient);
    }
    leave_row_gradients(task, scaled, width, gradient);
    return {hidden_gradient.mul_(loss_gradient), subset_weight_gradient, subset_bias_gradient,
            torch::Tensor()};
  }
};

}  // namespace

torch::Tensor sampled_loss(const torch::Tensor& hidden, const RowTables& tables,
                           const SubsetTables& subsets, const Shortlists& lists, Method kind,
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
