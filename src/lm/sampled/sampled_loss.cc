#include "lm/sampled/sampled_loss.h"

#include <torch/custom_class.h>

#include <limits>
#include <utility>

namespace cane::lm {
namespace {

using torch::Tensor;

// Everything that backward needs in addition to the saved tensors.
struct LossTask : torch::CustomClassHolder {
  Shortlists lists;
  RowTables tables;
  Tensor subset_of_class;
  Method method{};
  std::shared_ptr<RowGradientSink> sink;
  Tensor own_places;  // the words, 0 for none
  Tensor shared_places;
  Tensor wide;         // hidden states with a one in the place of the bias
  Tensor shared_rows;  // of the shared words, with their biases

  std::int64_t own_columns() const { return lists.own.size(1); }
  std::int64_t shared_columns() const { return lists.shared.size(0); }
  Tensor own_part(const Tensor& scores) const { return scores.narrow(1, 0, own_columns()); }
  Tensor shared_part(const Tensor& scores) const {
    return scores.narrow(1, own_columns(), shared_columns());
  }
  Tensor subsets_of(const Tensor& places) const {
    return subset_of_class.index_select(0, places.reshape({-1})).view_as(places);
  }
};

Tensor scores_of(LossTask& task, const Tensor& hidden, const Tensor& subset_weight,
                 const Tensor& subset_bias) {
  const Shortlists& lists = task.lists;
  task.own_places = lists.own.clamp_min(0);
  task.shared_places = lists.shared.clamp_min(0);
  task.wide = torch::cat({hidden, hidden.new_ones({hidden.size(0), 1})}, 1);
  task.shared_rows = torch::cat({task.tables.weight.index_select(0, task.shared_places),
                                 task.tables.bias.index_select(0, task.shared_places).unsqueeze(1)},
                                1);
  const Tensor scores =
      torch::empty({hidden.size(0), task.own_columns() + task.shared_columns()}, hidden.options());
  const Tensor own_bias = task.tables.bias.index_select(0, task.own_places.reshape({-1}));
  Tensor own = task.own_part(scores);
  own.copy_(row_products(task.tables.weight, task.own_places, hidden));
  own.add_(own_bias.view_as(own));
  Tensor shared = task.shared_part(scores);
  torch::mm_out(shared, task.wide, task.shared_rows.t());
  if (subset_weight.numel() > 0) {
    const Tensor subset_scores = torch::addmm(subset_bias, hidden, subset_weight.t());
    own.add_(subset_scores.gather(1, task.subsets_of(task.own_places)));
    shared.add_(subset_scores.index_select(1, task.subsets_of(task.shared_places)));
  }
  own.masked_fill_(lists.own < 0, kAbsentScore);
  if (lists.seen.defined()) {
    shared.narrow(1, lists.fixed, lists.seen.size(1))
        .masked_fill_(lists.seen.logical_not(), kAbsentScore);
  }
  if (row_of(task.method).excludes_label) {
    scores.narrow(1, lists.listed.first_noise, lists.listed.noises)
        .masked_fill_(lists.listed.log_q == std::numeric_limits<float>::infinity(), kAbsentScore);
  }
  return scores;
}

// The gradients of rows and biases, which are adjacent in `wide`.
void leave_row_gradients(const LossTask& task, const Tensor& wide, const Tensor& gradient) {
  const std::int64_t tokens = wide.size(0);
  const std::int64_t shared = task.shared_columns();
  const Tensor source = torch::empty({shared + tokens, wide.size(1)}, wide.options());
  Tensor of_shared = source.narrow(0, 0, shared);
  torch::mm_out(of_shared, task.shared_part(gradient).t(), wide);
  source.narrow(0, shared, tokens).copy_(wide);
  const auto integers = task.lists.own.options();
  const Tensor token = torch::arange(shared, shared + tokens, integers).unsqueeze(1);
  const RowSums sums =
      sum_rows({torch::cat({task.lists.shared, task.lists.own.reshape({-1})}), source,
                torch::cat({torch::arange(shared, integers),
                            token.expand({tokens, task.own_columns()}).reshape({-1})}),
                torch::cat({torch::ones({shared}, gradient.options()),
                            task.own_part(gradient).reshape({-1})}),
                task.tables.weight.size(0)});
  const std::int64_t width = wide.size(1) - 1;
  task.sink->push_back({task.tables.weight, sums.rows, sums.values.narrow(1, 0, width), true});
  task.sink->push_back({task.tables.bias, sums.rows, sums.values.narrow(1, width, 1), true});
}

/// The gradient in the scores of the subsets [tokens, subsets].
Tensor subset_gradient(const LossTask& task, const Tensor& gradient, std::int64_t subsets) {
  const Tensor shared_subsets = task.subsets_of(task.shared_places);
  const Tensor is_of =
      (shared_subsets.unsqueeze(1) == torch::arange(subsets, shared_subsets.options()))
          .to(gradient.scalar_type());
  return task.shared_part(gradient).mm(is_of).scatter_add_(1, task.subsets_of(task.own_places),
                                                           task.own_part(gradient));
}

struct SampledLoss : torch::autograd::Function<SampledLoss> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& hidden,
                        const Tensor& subset_weight, const Tensor& subset_bias,
                        c10::intrusive_ptr<LossTask> task) {
    const Tensor rows = hidden.contiguous();
    const Tensor scores = scores_of(*task, rows, subset_weight, subset_bias);
    Tensor losses = losses_to_gradients(task->method, task->lists.listed, scores);
    const Tensor& left_out = task->lists.left_out;
    // Looked at first, where that costs nothing.
    if (!left_out.is_cpu() || left_out.any().item<bool>()) {
      losses.masked_fill_(left_out, 0.0);
      scores.masked_fill_(left_out.unsqueeze(1), 0.0);
    }
    context->save_for_backward({scores, subset_weight});
    context->saved_data["task"] = c10::IValue::make_capsule(std::move(task));
    return losses.mean();
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto capsule = context->saved_data["task"].toCapsule();
    const auto& task = static_cast<const LossTask&>(*capsule);
    const Tensor& gradient = saved[0];  // in the scores
    const Tensor& subset_weight = saved[1];
    // Of the loss in that of a token: the mean is over all tokens, also those that are left out.
    const std::int64_t width = task.wide.size(1) - 1;
    const Tensor scale = gradients[0] / task.wide.size(0);
    const Tensor wide = task.wide * scale;
    Tensor in_hidden = task.shared_part(gradient).mm(task.shared_rows.narrow(1, 0, width));
    in_hidden.add_(scaled_row_sums(task.tables.weight, task.own_places, task.own_part(gradient)));
    Tensor in_subset_weight;
    Tensor in_subset_bias;
    if (subset_weight.numel() > 0) {
      const Tensor in_subsets = subset_gradient(task, gradient, subset_weight.size(0));
      in_hidden.addmm_(in_subsets, subset_weight);
      in_subset_weight = in_subsets.t().mm(wide.narrow(1, 0, width));
      in_subset_bias = in_subsets.sum(0).mul_(scale);
    }
    leave_row_gradients(task, wide, gradient);
    return {in_hidden.mul_(scale), in_subset_weight, in_subset_bias, Tensor()};
  }
};

}  // namespace

Tensor sampled_loss(const Tensor& hidden, const RowTables& tables, const SubsetTables& subsets,
                    const Shortlists& lists, Method method,
                    const std::shared_ptr<RowGradientSink>& sink) {
  auto task = c10::make_intrusive<LossTask>();
  task->lists = lists;
  task->tables = tables;
  task->subset_of_class = subsets.subset_of_class;
  task->method = method;
  task->sink = sink;
  const Tensor none = torch::empty({0}, hidden.options());
  const bool has_tree = subsets.weight.defined();
  return SampledLoss::apply(hidden, has_tree ? subsets.weight : none,
                            has_tree ? subsets.bias : none, std::move(task));
}

}  // namespace cane::lm
