#include "lm/engine/optimizer.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cane/error.h"
#include "core/base/memory.h"

namespace cane::lm {
namespace {

using torch::Tensor;

constexpr double kFirstDecay = 0.9;  // of the moments of Adam
constexpr double kSecondDecay = 0.999;
constexpr double kAdamEpsilon = 1e-8;
constexpr double kAdagradEpsilon = 1e-10;
// On the CPU numbers are updated a few at a time, which stay in the cache from one operation to the
// next. The parts do not depend on the number of threads.
constexpr std::int64_t kNumbersAtOnce = 1 << 15;

/// Merges the gradients of each table into one; values are float32, contiguous within a row.
std::vector<RowGradient> merged(std::vector<RowGradient> rows) {
  std::vector<RowGradient> tables;
  for (RowGradient& next : rows) {
    next.values = next.values.to(torch::kFloat32);
    if (next.values.dim() != 2) next.values = next.values.reshape({next.rows.size(0), -1});
    if (next.values.stride(1) != 1) next.values = next.values.contiguous();
    RowGradient* known = nullptr;
    for (RowGradient& table : tables) {
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

/// The moments of the optimiser are as large as the weights they belong to.
void check_moments_fit(const LanguageModel& model, UpdateRule rule) {
  if (!model.device().is_cpu()) return;
  std::uint64_t weights = 0;
  for (const auto& [name, tensor] : model.tensors()) weights += tensor.nbytes();
  const std::uint64_t moments = rule == UpdateRule::kAdam      ? 2
                                : rule == UpdateRule::kAdagrad ? 1
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

RowOptimizer::RowOptimizer(UpdateRule rule, double rate, double clip, torch::Device device)
    : rule_(rule),
      clip_(clip),
      host_rate_(rate),
      rate_(torch::full({}, rate, torch::dtype(torch::kFloat32).device(device))) {}

RowOptimizer::Slot RowOptimizer::make_slot(const std::string& name,
                                           const torch::Tensor& values) const {
  TORCH_CHECK(values.is_contiguous() && values.scalar_type() == torch::kFloat32,
              "the optimiser takes contiguous tensors of float32, not ", name);
  Slot slot = {name, values, {}, {}};
  if (rule_ == UpdateRule::kAdam) slot.first = torch::zeros_like(values.detach());
  if (rule_ != UpdateRule::kSgd) slot.second = torch::zeros_like(values.detach());
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

/// Unused places become copies of a used one: what is written to a row several times is the same.
void RowOptimizer::repeat_for_unused_places(Change& change) {
  if (change.rows.numel() == 0) return;
  const Tensor places = torch::arange(change.rows.numel(), change.rows.options());
  // Unused places come last.
  const Tensor sources = torch::where(change.rows >= 0, places, 0);
  change.rows = change.rows.index_select(0, sources);
  change.gradient = change.gradient.index_select(0, sources);
}

RowOptimizer::Slot& RowOptimizer::slot_of(const torch::Tensor& table) {
  for (Slot& slot : tables_) {
    if (slot.values.is_same(table)) return slot;
  }
  throw std::logic_error("a gradient of a table that the optimiser does not know");
}

/// Adam's moments start at zero; after `step` + 1 steps they are biased by a factor of
/// 1 - decay^(step + 1), which is corrected here. The root of the second factor is multiplied into
/// rate and epsilon.
RowOptimizer::Factors RowOptimizer::factors_of(const std::vector<Change>& changes,
                                               const Tensor& step) const {
  Factors factors{torch::ones_like(rate_), rate_, {}};
  if (clip_ > 0.0 && !changes.empty()) {
    constexpr double kTiny = 1e-6;
    std::vector<Tensor> lengths;
    lengths.reserve(changes.size());
    // Of rows first, which is faster where they are part of wider ones.
    for (const Change& change : changes) {
      lengths.push_back(change.gradient.norm(2, std::int64_t{-1}).norm());
    }
    // A gradient that is not a number stays one, and is noticed.
    factors.scale = (clip_ / (torch::stack(lengths).norm() + kTiny)).clamp_max_(1.0);
  }
  if (rule_ == UpdateRule::kAdam) {
    const Tensor steps = (step + 1).to(torch::kFloat64);
    const auto bias = [&](double decay) { return 1.0 - torch::pow(decay, steps); };
    const Tensor root = bias(kSecondDecay).sqrt_();
    factors.rate = (rate_ * root / bias(kFirstDecay)).to(torch::kFloat32);
    factors.epsilon = (root * kAdamEpsilon).to(torch::kFloat32);
  }
  return factors;
}

void RowOptimizer::update(const Factors& factors, const Tensor& gradient, const Slot& part) const {
  Tensor change = gradient * factors.scale;
  if (rule_ == UpdateRule::kSgd) {
    part.values.sub_(change.mul_(factors.rate));
  } else if (rule_ == UpdateRule::kAdagrad) {
    part.second.addcmul_(change, change);
    part.values.sub_(change.mul_(factors.rate).div_(part.second.sqrt().add_(kAdagradEpsilon)));
  } else {
    part.first.lerp_(change, 1.0 - kFirstDecay);
    part.second.mul_(kSecondDecay).addcmul_(change, change, 1.0 - kSecondDecay);
    const Tensor root = part.second.sqrt().add_(factors.epsilon);
    part.values.addcdiv_(torch::mul_out(change, part.first, factors.rate), root, -1.0);
  }
}

void RowOptimizer::apply(const Factors& factors, const Change& change) const {
  const bool has_rows = change.rows.defined();
  const auto flat = [&](const Tensor& tensor) {
    return !tensor.defined() || has_rows ? tensor : tensor.detach().view({-1});
  };
  const Slot& slot = change.slot;
  const Slot all = {{}, flat(slot.values), flat(slot.first), flat(slot.second)};
  const auto update_part = [&](std::int64_t begin, std::int64_t size) {
    const torch::NoGradGuard no_gradient;  // each thread has its own
    const Tensor rows = has_rows ? change.rows.narrow(0, begin, size) : Tensor();
    const auto part_of = [&](const Tensor& tensor) {
      if (!tensor.defined()) return tensor;
      return has_rows ? tensor.index_select(0, rows) : tensor.narrow(0, begin, size);
    };
    const Slot part = {{}, part_of(all.values), part_of(all.first), part_of(all.second)};
    update(factors, change.gradient.narrow(0, begin, size), part);
    if (!has_rows) return;
    all.values.index_put_({rows}, part.values);
    if (all.first.defined()) all.first.index_put_({rows}, part.first);
    if (all.second.defined()) all.second.index_put_({rows}, part.second);
  };
  const std::int64_t count = change.gradient.size(0);
  if (count == 0 || !change.gradient.is_cpu()) {
    update_part(0, count);
    return;
  }
  const std::int64_t width = std::max<std::int64_t>(change.gradient.numel() / count, 1);
  const std::int64_t at_once = std::max<std::int64_t>(kNumbersAtOnce / width, 1);
  const std::int64_t parts = (count + at_once - 1) / at_once;
  at::parallel_for(0, parts, 1, [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t i = first; i < end; ++i) {
      update_part(i * at_once, std::min(at_once, count - i * at_once));
    }
  });
}

void RowOptimizer::update(std::vector<RowGradient> rows, const Tensor& step) {
  const torch::NoGradGuard no_gradient;
  std::vector<Change> changes;
  for (Slot& slot : parameters_) {
    if (!slot.values.grad().defined()) continue;
    changes.push_back({slot, {}, slot.values.grad().reshape({-1})});
    slot.values.mutable_grad().reset();
  }
  for (const RowGradient& table : merged(std::move(rows))) {
    const RowGradient gradient = with_distinct_rows(table);
    const Tensor values =
        gradient.table.dim() == 1 ? gradient.values.reshape({-1}) : gradient.values;
    changes.push_back({slot_of(gradient.table), gradient.rows, values});
  }
  const Factors factors = factors_of(changes, step);
  for (Change& change : changes) {
    if (change.rows.defined() && !change.rows.is_cpu()) repeat_for_unused_places(change);
    apply(factors, change);
  }
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
  const UpdateRule rule = options.optimizer;
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
