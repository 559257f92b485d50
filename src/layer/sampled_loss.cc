#include "layer/sampled_loss.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/custom_class.h>

#include <string_view>
#include <vector>

#include "cane/error.h"
#include "layer/dispatch.h"

namespace cane::layer {
namespace {

// Everything that backward needs in addition to the saved tensors.
struct LossTask : torch::CustomClassHolder {
  Shortlists lists;
  RowTables tables;
  torch::Tensor subset_of_class;
  Method kind{};
  std::shared_ptr<RowGradientSink> sink;
  torch::Tensor shared;  // shared_rows()
};

kernels::PathArguments path_arguments(const LossTask& task, const torch::Tensor& scores,
                                      const torch::Tensor& subset_scores) {
  kernels::PathArguments arguments;
  arguments.shape = task.lists.shape;
  arguments.subsets = subset_scores.size(1);
  arguments.subset_of_class = task.subset_of_class.data_ptr<std::int32_t>();
  arguments.own_classes = task.lists.own_classes.data_ptr<std::int32_t>();
  arguments.shared_classes = task.lists.shared_classes.data_ptr<std::int32_t>();
  arguments.scores = scores.data_ptr<float>();
  arguments.subset_scores = subset_scores.data_ptr<float>();
  return arguments;
}

torch::Tensor score(LossTask& task, const torch::Tensor& hidden, const torch::Tensor& subset_weight,
                    const torch::Tensor& subset_bias) {
  task.shared = shared_rows(task.tables, task.lists);
  const torch::Tensor scores = class_scores(hidden, task.tables, task.lists, task.shared);
  if (subset_weight.numel() > 0) {
    const torch::Tensor subset_scores = torch::addmm(subset_bias, hidden, subset_weight.t());
    on_device::add_path_scores(path_arguments(task, scores, subset_scores), hidden.device());
  }
  return scores;
}

torch::Tensor apply_objective(const LossTask& task, const torch::Tensor& scores) {
  const Shortlists& lists = task.lists;
  const torch::Tensor losses = torch::empty({lists.shape.examples}, scores.options());
  kernels::ObjectiveArguments arguments;
  arguments.candidates = lists.candidates();
  arguments.scores = scores.data_ptr<float>();
  arguments.log_q = lists.log_q.data_ptr<float>();
  arguments.label_at = lists.label_at.data_ptr<std::int32_t>();
  arguments.drawn = lists.drawn.data_ptr<std::int32_t>();
  arguments.losses = losses.data_ptr<float>();
  arguments.scale = 1.0F / static_cast<float>(lists.shape.examples);
  on_device::objective(task.kind, static_cast<std::uint32_t>(task.tables.weight.size(0)), arguments,
                       scores.device());
  return losses.mean();
}

// The gradients of rows and biases, which are adjacent. `hidden` is widened, and multiplied by the
// gradient of the loss.
void leave_row_gradients(const LossTask& task, const torch::Tensor& hidden, std::int64_t width,
                         const torch::Tensor& gradient) {
  const on_device::RowSums sums =
      row_sums(gradient, hidden, task.tables.weight.size(0), task.lists);
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
    torch::Tensor hidden_gradient_sum =
        hidden_gradient(gradient, task.tables, task.lists, task.shared);
    torch::Tensor subset_weight_gradient;
    torch::Tensor subset_bias_gradient;
    if (subset_weight.numel() > 0) {
      const torch::Tensor by_subset =
          torch::empty({hidden.size(0), subset_weight.size(0)}, hidden.options());
      on_device::sum_path_gradients(path_arguments(task, gradient, by_subset), hidden.device());
      hidden_gradient_sum.addmm_(by_subset, subset_weight);
      subset_weight_gradient = by_subset.t().mm(scaled.narrow(1, 0, width));
      subset_bias_gradient = by_subset.sum(0).mul(loss_gradient);
    }
    leave_row_gradients(task, scaled, width, gradient);
    return {hidden_gradient_sum.mul_(loss_gradient), subset_weight_gradient, subset_bias_gradient,
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
  task->subset_of_class = subsets.subset_of_class;
  task->kind = kind;
  task->sink = sink;
  // Autograd takes no undefined tensors: empty ones stand for no tree.
  const torch::Tensor none = torch::empty({0}, hidden.options());
  const bool has_tree = subsets.weight.defined();
  return SampledLoss::apply(hidden, has_tree ? subsets.weight : none,
                            has_tree ? subsets.bias : none, std::move(task));
}

Method sampled_method(const std::string& option, const std::string& name) {
  std::vector<std::string_view> names;
  for (const MethodRow& row : kMethods) {
    if (!row.has_objective || !row.has_noises()) continue;
    if (row.name == name) return row.kind;
    names.emplace_back(row.name);
  }
  const std::string_view last = names.back();
  names.pop_back();
  throw Error(fmt::format("`{0}`: there is no sampled {0} '{1}'; there are {2} and {3}", option,
                          name, fmt::join(names, ", "), last));
}

}  // namespace cane::layer
