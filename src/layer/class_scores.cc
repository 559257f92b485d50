#include "layer/class_scores.h"

namespace cane::layer {
namespace {

using torch::Tensor;

bool has_shared(const kernels::ShortlistShape& shape) {
  return shape.shared_candidates + shape.shared_noises > 0;
}

Tensor shared_part(const Tensor& scores, const kernels::ShortlistShape& shape) {
  return scores.narrow(1, shape.first_shared_column(), shape.shared_columns());
}

kernels::Numbers numbers_of(const Tensor& table) {
  if (table.scalar_type() != torch::kBFloat16) return table.data_ptr<float>();
  return kernels::Numbers(static_cast<const std::uint16_t*>(table.data_ptr()));
}

Tensor widened(kernels::WidenArguments task, torch::Device device) {
  const Tensor out = torch::empty({task.count, task.wide}, torch::TensorOptions().device(device));
  task.out = out.data_ptr<float>();
  on_device::widen(task, device);
  return out;
}

kernels::GatherArguments gather_arguments(const RowTables& tables, const Shortlists& lists,
                                          const Tensor& scores) {
  kernels::GatherArguments arguments;
  arguments.shape = lists.shape;
  arguments.width = tables.weight.size(1);
  arguments.weight = numbers_of(tables.weight);
  arguments.bias = tables.bias.data_ptr<float>();
  arguments.own_classes = lists.own_classes.data_ptr<std::int32_t>();
  arguments.scores = scores.data_ptr<float>();
  return arguments;
}

}  // namespace

std::int64_t widened_width(std::int64_t width) {
  constexpr std::int64_t kVector = 8;
  return (width + 1 + kVector - 1) / kVector * kVector;
}

Tensor widened_hidden(const Tensor& hidden, const float* scale) {
  kernels::WidenArguments task;
  task.count = hidden.size(0);
  task.width = hidden.size(1);
  task.wide = widened_width(task.width);
  task.rows = hidden.data_ptr<float>();
  task.scale = scale;
  return widened(task, hidden.device());
}

Tensor shared_rows(const RowTables& tables, const Shortlists& lists) {
  if (!has_shared(lists.shape)) return {};
  kernels::WidenArguments task;
  task.count = lists.shared_classes.numel();
  task.width = tables.weight.size(1);
  task.wide = widened_width(task.width);
  task.classes = lists.shared_classes.data_ptr<std::int32_t>();
  task.rows = numbers_of(tables.weight);
  task.biases = tables.bias.data_ptr<float>();
  return widened(task, tables.weight.device());
}

Tensor class_scores(const Tensor& hidden, const RowTables& tables, const Shortlists& lists,
                    const Tensor& shared) {
  const Tensor scores =
      torch::empty({lists.shape.examples, lists.shape.stride()}, hidden.options());
  if (shared.defined()) {
    Tensor part = shared_part(scores, lists.shape);
    torch::mm_out(part, widened_hidden(hidden, nullptr), shared.t());
  }
  kernels::GatherArguments arguments = gather_arguments(tables, lists, scores);
  arguments.hidden = hidden.data_ptr<float>();
  on_device::gather_dot(arguments, hidden.device());
  return scores;
}

Tensor hidden_gradient(const Tensor& gradient, const RowTables& tables, const Shortlists& lists,
                       const Tensor& shared) {
  const std::int64_t width = tables.weight.size(1);
  const Tensor result = shared.defined()
                            ? shared_part(gradient, lists.shape).mm(shared.narrow(1, 0, width))
                            : torch::zeros({gradient.size(0), width}, gradient.options());
  kernels::GatherArguments arguments = gather_arguments(tables, lists, gradient);
  arguments.hidden_gradient = result.data_ptr<float>();
  on_device::gather_back(arguments, gradient.device());
  return result;
}

on_device::RowSums row_sums(const Tensor& gradient, const Tensor& widened, std::int64_t classes,
                            const Shortlists& lists) {
  Tensor shared;
  kernels::RowSumArguments sum;
  sum.shape = lists.shape;
  sum.classes = classes;
  sum.width = widened.size(1);
  sum.own_classes = lists.own_classes.data_ptr<std::int32_t>();
  sum.hidden = widened.data_ptr<float>();
  sum.gradient = gradient.data_ptr<float>();
  if (has_shared(lists.shape)) {
    shared = shared_part(gradient, lists.shape).t().mm(widened);
    sum.shared = shared.size(0);
    sum.shared_classes = lists.shared_classes.data_ptr<std::int32_t>();
    sum.shared_rows = shared.data_ptr<float>();
  }
  return on_device::sum_rows(sum, gradient.device());
}

}  // namespace cane::layer
