#include "torch/learn/optimizer.h"

#include <cassert>
#include <stdexcept>

namespace cane::lm {
namespace {

constexpr double kFirstDecay = 0.9;
constexpr double kSecondDecay = 0.999;
constexpr double kAdamEpsilon = 1e-8;
constexpr double kAdagradEpsilon = 1e-10;

/// 1 - decay^(step + 1): moments begin at zero, and are short of the truth by this factor.
torch::Tensor bias_correction(double decay, const torch::Tensor& step) {
  return 1.0 - torch::pow(decay, step.to(torch::kFloat32) + 1.0);
}

/// Tables of one number a row, biases say, as matrices of one column.
torch::Tensor as_matrix(const torch::Tensor& table) {
  return table.dim() == 1 ? table.unsqueeze(1) : table;
}

/// Gradients of the same table become one.
std::vector<RowGradient> merged(std::vector<RowGradient> rows) {
  std::vector<RowGradient> tables;
  for (RowGradient& next : rows) {
    next.values = next.values.to(torch::kFloat32).reshape({next.rows.size(0), -1});
    RowGradient* known = nullptr;
    for (RowGradient& table : tables) {
      if (table.table.is_same(next.table)) known = &table;
    }
    if (known == nullptr) {
      tables.push_back(std::move(next));
    } else {
      known->rows = torch::cat({known->rows, next.rows});
      known->values = torch::cat({known->values, next.values});
    }
  }
  return tables;
}

}  // namespace

RowGradient with_distinct_rows(const RowGradient& gradient) {
  if (gradient.rows.size(0) < 2) return gradient;
  const auto [sorted, order] = gradient.rows.sort(/*stable=*/true, 0, false);
  const torch::Tensor begins = (sorted.slice(0, 1) != sorted.slice(0, 0, -1)).to(torch::kInt64);
  const torch::Tensor place = torch::constant_pad_nd(begins.cumsum(0), {1, 0});
  RowGradient distinct;
  distinct.table = gradient.table;
  distinct.values = torch::zeros_like(gradient.values)
                        .index_add_(0, place, gradient.values.index_select(0, order));
  distinct.rows = torch::full_like(gradient.rows, -1).scatter_(0, place, sorted);
  return distinct;
}

Optimizer::Optimizer(UpdateRule rule, double rate, double clip, torch::Device device)
    : rule_(rule),
      clip_(clip),
      host_rate_(rate),
      rate_(torch::full({}, rate, torch::dtype(torch::kFloat32).device(device))) {}

Optimizer::Slot Optimizer::make_slot(const std::string& name, const torch::Tensor& values) const {
  Slot slot = {name, values, {}, {}};
  if (rule_ == UpdateRule::kAdam) slot.first = torch::zeros_like(values.detach());
  if (rule_ != UpdateRule::kSgd) slot.second = torch::zeros_like(values.detach());
  return slot;
}

void Optimizer::add_parameter(const std::string& name, const torch::Tensor& parameter) {
  parameters_.push_back(make_slot(name, parameter));
}

void Optimizer::add_table(const std::string& name, const torch::Tensor& table) {
  tables_.push_back(make_slot(name, table));
}

void Optimizer::set_rate(double rate) {
  host_rate_ = rate;
  rate_.fill_(rate);
}

Optimizer::Slot& Optimizer::slot_of(const torch::Tensor& table) {
  for (Slot& slot : tables_) {
    if (slot.values.is_same(table)) return slot;
  }
  throw std::logic_error("a gradient of a table that the optimiser does not know");
}

torch::Tensor Optimizer::clipping(const std::vector<RowGradient>& rows) const {
  std::vector<torch::Tensor> squares;
  for (const Slot& slot : parameters_) {
    if (slot.values.grad().defined()) squares.push_back(slot.values.grad().square().sum());
  }
  for (const RowGradient& gradient : rows) squares.push_back(gradient.values.square().sum());
  const torch::Tensor length = torch::stack(squares).sum().sqrt();
  constexpr double kTiny = 1e-6;
  return (clip_ / (length + kTiny)).clamp_max(1.0);
}

void Optimizer::update(std::vector<RowGradient> rows, const torch::Tensor& step) {
  const torch::NoGradGuard no_gradient;
  rows = merged(std::move(rows));
  for (RowGradient& gradient : rows) gradient = with_distinct_rows(gradient);
  const torch::Tensor scale = clip_ > 0.0 ? clipping(rows) : torch::Tensor();
  for (Slot& slot : parameters_) {
    torch::Tensor gradient = slot.values.grad();
    if (!gradient.defined()) continue;
    if (scale.defined()) gradient.mul_(scale);
    update_dense(slot, gradient, step);
    slot.values.mutable_grad().reset();
  }
  for (RowGradient& gradient : rows) {
    if (scale.defined()) gradient.values.mul_(scale);
    update_rows(slot_of(gradient.table), gradient, step);
  }
}

void Optimizer::update_dense(Slot& slot, torch::Tensor gradient, const torch::Tensor& step) const {
  switch (rule_) {
    case UpdateRule::kSgd:
      slot.values.sub_(gradient * rate_);
      break;
    case UpdateRule::kAdagrad:
      slot.second.addcmul_(gradient, gradient);
      slot.values.sub_(gradient.div_(slot.second.sqrt().add_(kAdagradEpsilon)).mul_(rate_));
      break;
    case UpdateRule::kAdam:
      slot.first.lerp_(gradient, 1.0 - kFirstDecay);
      slot.second.mul_(kSecondDecay).addcmul_(gradient, gradient, 1.0 - kSecondDecay);
      const torch::Tensor second_root = bias_correction(kSecondDecay, step).sqrt();
      const torch::Tensor size = rate_ / bias_correction(kFirstDecay, step);
      const torch::Tensor below = slot.second.sqrt().div_(second_root).add_(kAdamEpsilon);
      slot.values.sub_(below.reciprocal_().mul_(slot.first).mul_(size));
      break;
  }
}

void Optimizer::update_rows(Slot& slot, const RowGradient& gradient,
                            const torch::Tensor& step) const {
  // Unused places go to row 0, where they change nothing: all that is added there is zero.
  const torch::Tensor used = (gradient.rows >= 0).unsqueeze(1);
  const torch::Tensor rows = gradient.rows.clamp_min(0);
  const torch::Tensor& values = gradient.values;
  torch::Tensor change;
  if (rule_ == UpdateRule::kSgd) {
    change = values;
  } else if (rule_ == UpdateRule::kAdagrad) {
    const torch::Tensor second = as_matrix(slot.second);
    second.index_add_(0, rows, values.square());
    change = values / second.index_select(0, rows).sqrt_().add_(kAdagradEpsilon);
  } else {
    const torch::Tensor first = as_matrix(slot.first);
    const torch::Tensor second = as_matrix(slot.second);
    const torch::Tensor first_rows = first.index_select(0, rows);
    const torch::Tensor second_rows = second.index_select(0, rows);
    const torch::Tensor first_change = (values - first_rows).mul_(1.0 - kFirstDecay).mul_(used);
    const torch::Tensor second_change =
        (values.square() - second_rows).mul_(1.0 - kSecondDecay).mul_(used);
    first.index_add_(0, rows, first_change);
    second.index_add_(0, rows, second_change);
    const torch::Tensor second_root = bias_correction(kSecondDecay, step).sqrt();
    const torch::Tensor below =
        (second_rows + second_change).sqrt_().div_(second_root).add_(kAdamEpsilon);
    change =
        (first_rows + first_change).div_(below).div_(bias_correction(kFirstDecay, step)).mul_(used);
  }
  as_matrix(slot.values).index_add_(0, rows, change * -rate_);
}

std::map<std::string, torch::Tensor> Optimizer::state() const {
  std::map<std::string, torch::Tensor> tensors;
  for (const auto* slots : {&parameters_, &tables_}) {
    for (const Slot& slot : *slots) {
      if (slot.first.defined()) tensors["first." + slot.name] = slot.first;
      if (slot.second.defined()) tensors["second." + slot.name] = slot.second;
    }
  }
  return tensors;
}

}  // namespace cane::lm
