#include "lm/engine/make_optimizer.h"

#include <fmt/format.h>

#include "cane/error.h"
#include "core/base/memory.h"

namespace cane::lm {
namespace {

UpdateRule rule_named(const std::string& name) {
  return name == "sgd"       ? UpdateRule::kSgd
         : name == "adagrad" ? UpdateRule::kAdagrad
                             : UpdateRule::kAdam;
}

/// Moments of the optimiser are as large as the weights they belong to.
void check_memory(const LanguageModel& model, UpdateRule rule) {
  if (!model.device().is_cpu()) return;
  std::uint64_t weights = 0;
  for (const auto& [name, tensor] : model.tensors()) weights += tensor.nbytes();
  const std::uint64_t needed = weights * (rule == UpdateRule::kAdam      ? 2
                                          : rule == UpdateRule::kAdagrad ? 1
                                                                         : 0);
  const std::uint64_t available = available_memory();
  if (available == 0 || needed <= available) return;
  throw Error(fmt::format(
      "the optimiser needs {} beside the weights, and {} of memory are free; take fewer words by "
      "--vocabulary, or --optimizer sgd",
      bytes_as_text(needed), bytes_as_text(available)));
}

}  // namespace

RowOptimizer make_optimizer(const LanguageModel& model, const TrainOptions& options) {
  const UpdateRule rule = rule_named(options.optimizer);
  check_memory(model, rule);
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
