#include "lm/engine/optimizer.h"

#include <fmt/format.h>

#include <stdexcept>

#include "cane/error.h"
#include "core/base/memory.h"
#include "layer/distinct_rows.h"

#ifdef CANE_TORCH_CUDA
#include <c10/cuda/CUDAStream.h>

#include "kernels/cuda/update.h"
#endif

namespace cane::lm {
namespace {

/// Merges the gradients of each table into one; values are float32, contiguous within a row.
std::vector<layer::RowGradient> merged(std::vector<layer::RowGradient> rows) {
  std::vector<layer::RowGradient> tables;
  for (layer::RowGradient& next : rows) {
    next.values = next.values.to(torch::kFloat32);
    if (next.values.dim() != 2) next.values = next.values.reshape({next.rows.size(0), -1});
    if (next.values.stride(1) != 1) next.values = next.values.contiguous();
    layer::RowGradient* known = nullptr;
    for (layer::RowGradient& table : tables) {
      if (table.table.is_same(next.table)) known = &table;
    }
    if (known == nullptr) {
      tables.push_back(std::move(next));
    } else {
      known->rows = torch::cat({known->rows, next.rows});
      known->values = torch::cat({known->values, next.values});
      known->distinct = false;
    }
  }
  return tables;
}

float* numbers_of(const torch::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<float>() : nullptr;
}

void apply(const kernels::UpdateTask& task, torch::Device device) {
#ifdef CANE_TORCH_CUDA
  if (device.is_cuda()) {
    kernels::cuda::update(task, c10::cuda::getCurrentCUDAStream(device.index()).stream());
    return;
  }
#endif
  TORCH_CHECK(device.is_cpu(), "built without CUDA");
  kernels::cpu::update(task);
}

/// The moments of the optimiser are as large as the weights they belong to.
void check_moments_fit(const LanguageModel& model, kernels::UpdateRule rule) {
  if (!model.device().is_cpu()) return;
  std::uint64_t weights = 0;
  for (const auto& [name, tensor] : model.tensors()) weights += tensor.nbytes();
  const std::uint64_t moments = rule == kernels::UpdateRule::kAdam      ? 2
                                : rule == kernels::UpdateRule::kAdagrad ? 1
                                                                        : 0;
  const std::uint64_t needed = weights * moments;
  const std::uint64_t available = available_memory();
  if (available == 0 || needed <= available) return;
  throw Error(
      fmt::format("the optimiser needs {} in addition to the weights, and {} of memory are free; "
                  "take fewer words by "
                  "`vocabulary`, or `optimizer sgd`",
                  bytes_as_text(needed), bytes_as_text(available)));
}

}  // namespace

RowOptimizer::RowOptimizer(kernels::UpdateRule rule, double rate, double clip, torch::Device device)
    : rule_(rule),
      clip_(clip),
      host_rate_(rate),
      rate_(torch::full({}, rate, torch::dtype(torch::kFloat32).device(device))),
      square_sum_(torch::zeros({}, torch::dtype(torch::kFloat64).device(device))) {}

RowOptimizer::Slot RowOptimizer::make_slot(const std::string& name,
                                           const torch::Tensor& values) const {
  TORCH_CHECK(values.is_contiguous() && values.scalar_type() == torch::kFloat32,
              "the optimiser takes contiguous tensors of float32, not ", name);
  Slot slot = {name, values, {}, {}};
  if (rule_ == kernels::UpdateRule::kAdam) slot.first = torch::zeros_like(values.detach());
  if (rule_ != kernels::UpdateRule::kSgd) slot.second = torch::zeros_like(values.detach());
  return slot;
}

void RowOptimizer::add_parameter(const std::string& name, const torch::Tensor& parameter) {
  parameters_.push_back(make_slot(name, parameter));
}

void RowOptimizer::add_table(const std::string& name, const torch::Tensor& table) {
  tables_.push_back(make_slot(name, table));
}

void RowOptimizer::set_rate(double rate) {
  host_rate_ = rate;
  rate_.fill_(rate);
}

RowOptimizer::Slot& RowOptimizer::slot_of(const torch::Tensor& table) {
  for (Slot& slot : tables_) {
    if (slot.values.is_same(table)) return slot;
  }
  throw std::logic_error("a gradient of a table that the optimiser does not know");
}

void RowOptimizer::update(std::vector<layer::RowGradient> rows, const torch::Tensor& step) {
  const torch::NoGradGuard no_gradient;
  rows = merged(std::move(rows));
  std::vector<kernels::UpdateSlot> slots;
  std::vector<torch::Tensor> gradients;  // alive until they are applied
  const auto add = [&](const Slot& slot, std::int64_t count,
                       std::int64_t width) -> kernels::UpdateSlot& {
    kernels::UpdateSlot& next = slots.emplace_back();
    next.count = count;
    next.width = width;
    next.gradient_stride = width;
    next.values = numbers_of(slot.values);
    next.first = numbers_of(slot.first);
    next.second = numbers_of(slot.second);
    return next;
  };
  for (Slot& slot : parameters_) {
    if (!slot.values.grad().defined()) continue;
    gradients.push_back(slot.values.grad().contiguous());
    add(slot, slot.values.numel(), 1).gradient = numbers_of(gradients.back());
    slot.values.mutable_grad().reset();
  }
  for (layer::RowGradient& gradient : rows) {
    gradient = layer::with_distinct_rows(gradient);
    kernels::UpdateSlot& next =
        add(slot_of(gradient.table), gradient.rows.size(0), gradient.values.size(1));
    next.rows = gradient.rows.data_ptr<std::int64_t>();
    next.gradient = numbers_of(gradient.values);
    next.gradient_stride = gradient.values.stride(0);
  }
  kernels::UpdateTask task;
  task.rule = rule_;
  task.options = kernels::default_options(rule_);
  task.slots = slots;
  task.clip = static_cast<float>(clip_);
  task.rate = rate_.data_ptr<float>();
  task.step = step.data_ptr<std::int64_t>();
  task.square_sum = square_sum_.data_ptr<double>();
  apply(task, rate_.device());
}

std::map<std::string, torch::Tensor> RowOptimizer::state() const {
  std::map<std::string, torch::Tensor> tensors;
  for (const auto* slots : {&parameters_, &tables_}) {
    for (const Slot& slot : *slots) {
      if (slot.first.defined()) tensors["first." + slot.name] = slot.first;
      if (slot.second.defined()) tensors["second." + slot.name] = slot.second;
    }
  }
  return tensors;
}

RowOptimizer make_optimizer(const LanguageModel& model, const LmTrainOptions& options) {
  const kernels::UpdateRule rule = options.optimizer;
  check_moments_fit(model, rule);
  RowOptimizer optimizer(rule, first_rate(options), options.clip, model.device());
  for (const auto& [name, tensor] : model.tensors()) {
    if (!tensor.is_floating_point()) continue;
    if (tensor.requires_grad()) {
      optimizer.add_parameter(name, tensor);
    } else {
      optimizer.add_table(name, tensor);
    }
  }
  return optimizer;
}

}  // namespace cane::lm
