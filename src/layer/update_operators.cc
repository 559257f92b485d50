#include "layer/update_operators.h"

#include <torch/library.h>

#include "kernels/plain/update_task.h"
#include "layer/distinct_rows.h"

#ifdef CANE_TORCH_CUDA
#include <c10/cuda/CUDAStream.h>

#include "kernels/cuda/update.h"
#endif

namespace cane::layer {
namespace {

using kernels::UpdateRule;
using torch::Tensor;

UpdateRule rule_of(const std::string& name) {
  if (name == "sgd") return UpdateRule::kSgd;
  if (name == "adagrad") return UpdateRule::kAdagrad;
  TORCH_CHECK(name == "adam", "row_update_: there is no rule ", name,
              "; there are sgd, adagrad and adam");
  return UpdateRule::kAdam;
}

float* moment_of(const c10::optional<Tensor>& moment, const Tensor& table, bool is_needed,
                 const char* name) {
  if (!is_needed) return nullptr;
  TORCH_CHECK(moment.has_value() && moment->scalar_type() == torch::kFloat32 &&
                  moment->sizes() == table.sizes() && moment->strides() == table.strides() &&
                  moment->device() == table.device(),
              "row_update_: the ", name, " moment must be float32, laid out as the table");
  return moment->data_ptr<float>();
}

/// The gradient as rows of float32, each row once.
RowGradient row_gradient(const Tensor& table, const Tensor& rows, const Tensor& values,
                         bool distinct) {
  TORCH_CHECK(rows.scalar_type() == torch::kInt64 && rows.dim() == 1 && values.dim() >= 1 &&
                  values.size(0) == rows.size(0),
              "row_update_: rows must be int64, one for each row of values");
  const std::int64_t width = table.size(0) == 0 ? 0 : table.numel() / table.size(0);
  TORCH_CHECK(values.numel() == rows.size(0) * width,
              "row_update_: rows of values are not as wide as the rows of the table");
  Tensor matrix = values.to(torch::kFloat32).reshape({rows.size(0), width});
  if (matrix.stride(1) != 1 && width > 1) matrix = matrix.contiguous();
  return with_distinct_rows({table, rows.contiguous(), matrix, distinct});
}

void run(const kernels::UpdateTask& task, torch::Device device) {
#ifdef CANE_TORCH_CUDA
  if (device.is_cuda()) {
    kernels::cuda::update(task, c10::cuda::getCurrentCUDAStream(device.index()).stream());
    return;
  }
#endif
  TORCH_CHECK(device.is_cpu(), "row_update_: built without CUDA");
  kernels::cpu::update(task);
}

void check_in_range(const RowGradient& gradient) {
  // On a GPU this would wait for the device; there the rows come from kernels that checked them.
  if (!gradient.rows.is_cpu() || gradient.rows.numel() == 0) return;
  const std::int64_t* rows = gradient.rows.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < gradient.rows.numel(); ++i) {
    TORCH_CHECK(rows[i] >= -1 && rows[i] < gradient.table.size(0), "row_update_: row ", rows[i],
                " is not one of the table's ", gradient.table.size(0));
  }
}

// Tensors come as the dispatcher passes them.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void row_update(const Tensor& table, const c10::optional<Tensor>& first,
                const c10::optional<Tensor>& second, const c10::optional<Tensor>& rows,
                const Tensor& values, const Tensor& rate, const Tensor& step,
                const std::string& rule_name, double first_decay, double second_decay,
                double epsilon, double weight_decay, bool distinct) {
  const UpdateRule rule = rule_of(rule_name);
  const bool is_short = table.scalar_type() == torch::kBFloat16;
  TORCH_CHECK(is_short || table.scalar_type() == torch::kFloat32,
              "row_update_: the table must be float32 or bfloat16, but is ", table.scalar_type());
  TORCH_CHECK(rate.scalar_type() == torch::kFloat32 && rate.numel() == 1 &&
                  step.scalar_type() == torch::kInt64 && step.numel() == 1 &&
                  rate.device() == table.device() && step.device() == table.device(),
              "row_update_: rate must be one float32 and step one int64, on the table's device");
  kernels::UpdateSlot slot;
  RowGradient gradient;  // alive until it is applied
  if (rows.has_value()) {
    TORCH_CHECK(table.dim() >= 1 && table.is_contiguous(),
                "row_update_: a table of rows must be contiguous");
    gradient = row_gradient(table, *rows, values, distinct);
    check_in_range(gradient);
    slot.rows = gradient.rows.data_ptr<std::int64_t>();
    slot.count = gradient.rows.size(0);
    slot.width = gradient.values.size(1);
    slot.gradient_stride = gradient.values.stride(0);
  } else {
    TORCH_CHECK(values.sizes() == table.sizes() && table.is_non_overlapping_and_dense(),
                "row_update_: the gradient must have the table's shape, and the table no gaps");
    gradient.values = values.to(torch::kFloat32);
    if (gradient.values.strides() != table.strides()) {
      gradient.values = torch::empty_like(table, torch::kFloat32).copy_(gradient.values);
    }
    slot.count = table.numel();
    slot.width = 1;
    slot.gradient_stride = 1;
  }
  if (slot.count == 0 || table.numel() == 0) return;
  slot.gradient = gradient.values.data_ptr<float>();
  if (is_short) {
    slot.bfloats = static_cast<std::uint16_t*>(table.data_ptr());
  } else {
    slot.values = table.data_ptr<float>();
  }
  slot.first = moment_of(first, table, rule == UpdateRule::kAdam, "first");
  slot.second = moment_of(second, table, rule != UpdateRule::kSgd, "second");
  kernels::UpdateTask task;
  task.rule = rule;
  task.options = {first_decay, second_decay, epsilon, rows.has_value(), weight_decay};
  task.slots = {&slot, 1};
  task.rate = rate.data_ptr<float>();
  task.step = step.data_ptr<std::int64_t>();
  run(task, table.device());
  // Autograd notices by it that a tensor it kept was changed.
  if (!table.is_inference()) table.unsafeGetTensorImpl()->bump_version();
}

void no_update(const Tensor&, const c10::optional<Tensor>&, const c10::optional<Tensor>&,
               const c10::optional<Tensor>&, const Tensor&, const Tensor&, const Tensor&,
               const std::string&, double, double, double, double, bool) {}

}  // namespace

void register_update_operators() {}

}  // namespace cane::layer

TORCH_LIBRARY_FRAGMENT(cane, library) {
  library.def(
      "row_update_(Tensor(a!) table, Tensor(b!)? first, Tensor(c!)? second, Tensor? rows, "
      "Tensor values, Tensor rate, Tensor step, str rule, float first_decay, float second_decay, "
      "float epsilon, float weight_decay, bool distinct) -> ()");
}

TORCH_LIBRARY_IMPL(cane, CPU, library) {
  library.impl("row_update_", &cane::layer::row_update);
}

#ifdef CANE_TORCH_CUDA
TORCH_LIBRARY_IMPL(cane, CUDA, library) {
  library.impl("row_update_", &cane::layer::row_update);
}
#endif

TORCH_LIBRARY_IMPL(cane, Meta, library) {
  library.impl("row_update_", &cane::layer::no_update);
}
