// Candidates and noises: steps 1 and 2 of operators.h, without the shortlist itself.
#include "layer/dispatch.h"
#include "layer/noise_law.h"
#include "layer/operators.h"

namespace cane::layer {
namespace {

using torch::Tensor;

Tensor columns_of_classes(const Tensor& shared_candidates, std::int64_t classes) {
  const PlainTensors plain;
  const Tensor columns =
      torch::full({classes}, kernels::kNoColumn, shared_candidates.options().dtype(torch::kInt32));
  columns.index_copy_(0, shared_candidates.to(torch::kInt64),
                      torch::arange(shared_candidates.size(0), columns.options()));
  return columns;
}

std::tuple<Tensor, Tensor, Tensor> noise_law(const Tensor& counts, double power,
                                             const Tensor& excluded) {
  const PlainTensors plain;
  const Tensor host = counts.cpu().to(torch::kInt64).contiguous();
  const auto size = static_cast<std::size_t>(host.numel());
  const std::int64_t* begin = host.data_ptr<std::int64_t>();
  const std::vector<std::uint64_t> values(begin, begin + size);
  std::vector<bool> is_excluded(size, false);
  const Tensor classes = excluded.cpu().to(torch::kInt64).contiguous();
  for (std::int64_t i = 0; i < classes.numel(); ++i) {
    const std::int64_t id = classes.data_ptr<std::int64_t>()[i];
    require(id >= 0 && id < host.numel(), "excluded", "has a class out of range");
    is_excluded[static_cast<std::size_t>(id)] = true;
  }
  const NoiseLaw law(values, static_cast<float>(power), is_excluded, counts.device());
  return {law.cells(), law.classes(), law.masses()};
}

const std::int64_t* step_of(const Tensor& step) {
  require(step.scalar_type() == torch::kInt64 && step.numel() == 1, "step", "must be one int64");
  return step.data_ptr<std::int64_t>();
}

Tensor draw_noises(const Tensor& cells, const Tensor& outcomes, std::int64_t seed,
                   const Tensor& step, const c10::optional<Tensor>& examples, std::int64_t noises) {
  const PlainTensors plain;
  kernels::DrawArguments task;
  task.law.outcomes = static_cast<std::uint64_t>(outcomes.numel());
  require(cells.nbytes() == task.law.outcomes * sizeof(AliasCell), "cells", "are of another law");
  if (task.law.outcomes > 0) task.law.cells = static_cast<const AliasCell*>(cells.data_ptr());
  task.law.classes = outcomes.data_ptr<std::int32_t>();
  task.seed = static_cast<std::uint64_t>(seed);
  task.step = step_of(step);
  task.shape.examples = examples.has_value() ? examples->size(0) : 1;
  (examples.has_value() ? task.shape.own_noises : task.shape.shared_noises) = noises;
  const std::int64_t places = 1 + noises;  // the first is the label's
  const Tensor drawn = torch::empty({task.shape.examples, places}, outcomes.options());
  task.shared_classes = drawn.data_ptr<std::int32_t>();
  task.own_classes = drawn.data_ptr<std::int32_t>();
  if (!examples.has_value()) {
    on_device::draw_shared_noises(task, drawn.device());
    return drawn[0].narrow(0, 1, noises).clone();
  }
  if (drawn.numel() > 0) on_device::draw_own_noises(task, drawn.device());
  return drawn.narrow(1, 1, noises).contiguous();
}

// The GPU gives each example a column, the CPU the first ones: the columns without class are
// filled.
std::tuple<Tensor, Tensor, Tensor> batch_classes(const Tensor& target,
                                                 const Tensor& column_of_class,
                                                 std::int64_t first_column) {
  const PlainTensors plain;
  const Tensor labels = checked(target, "target", torch::kInt64, 1);
  const Tensor columns = checked_classes(column_of_class, "column_of_class", 1).clone();
  const Tensor classes = torch::full({labels.size(0)}, kernels::kNoClass, columns.options());
  const Tensor visible_after = torch::full_like(classes, kernels::kSeenByNone);
  kernels::BatchClassArguments task;
  task.examples = labels.size(0);
  task.streams = labels.size(0);  // an example is hidden from itself alone
  task.first_column = static_cast<std::int32_t>(first_column);
  task.labels = labels.data_ptr<std::int64_t>();
  task.column_of_class = columns.data_ptr<std::int32_t>();
  task.classes = classes.data_ptr<std::int32_t>();
  task.visible_after = visible_after.data_ptr<std::int32_t>();
  if (task.examples > 0) on_device::collect_batch_classes(task, labels.device());
  return {classes, visible_after, columns};
}

kernels::ProposalView proposal_of(const Tensor& features, const Tensor& rows, const Tensor& bias,
                                  const Tensor& order, const Tensor& places, std::int64_t block) {
  check_tables(features, rows, bias);
  require(features.is_contiguous(), "features", "must be contiguous");
  require(rows.scalar_type() == torch::kFloat32, "rows", "of a proposal must be float32");
  require(block > 0, "block", "must be positive");
  kernels::ProposalView view;
  view.examples = features.size(0);
  view.width = features.size(1);
  view.classes = rows.size(0);
  view.block = block;
  view.features = features.data_ptr<float>();
  view.rows = rows.data_ptr<float>();
  view.bias = bias.data_ptr<float>();
  if (order.numel() == 0) return view;
  require(order.numel() == view.classes && places.numel() == view.classes, "order",
          "and places must have one entry for each class");
  view.order = order.data_ptr<std::int32_t>();
  view.places = places.data_ptr<std::int32_t>();
  return view;
}

std::tuple<Tensor, Tensor> proposal_blocks(const Tensor& features, const Tensor& rows,
                                           const Tensor& bias, std::int64_t block) {
  const PlainTensors plain;
  const Tensor none = torch::empty({0}, features.options().dtype(torch::kInt32));
  kernels::BlockArguments task;
  task.proposal = proposal_of(features, rows, bias, none, none, block);
  const Tensor high =
      torch::empty({task.proposal.blocks(), task.proposal.examples}, features.options());
  const Tensor log_mass = torch::empty_like(high);
  task.high = high.data_ptr<float>();
  task.log_mass = log_mass.data_ptr<float>();
  on_device::sum_blocks(task, features.device());
  return {high.t(), log_mass.t()};
}

Tensor proposal_outside(const Tensor& features, const Tensor& rows, const Tensor& bias,
                        const Tensor& order, const Tensor& places, const Tensor& log_mass,
                        std::int64_t block, bool conditional, const Tensor& candidates) {
  const PlainTensors plain;
  const Tensor classes = checked_classes(candidates, "candidates", 2);
  const Tensor outside =
      checked(log_mass, "log_mass", torch::kFloat32, 2).clone(torch::MemoryFormat::Contiguous);
  kernels::OutsideArguments task;
  task.proposal = proposal_of(features, rows, bias, order, places, block);
  task.candidates = {classes.size(1), classes.data_ptr<std::int32_t>()};
  task.conditional = conditional;
  task.log_mass = outside.data_ptr<float>();
  on_device::leave_out_candidates(task, features.device());
  return outside;
}

std::tuple<Tensor, Tensor> proposal_noises(const Tensor& features, const Tensor& rows,
                                           const Tensor& bias, const Tensor& order,
                                           const Tensor& places, const Tensor& outside,
                                           std::int64_t block, const Tensor& candidates,
                                           const Tensor& target, std::int64_t noises,
                                           std::int64_t seed, const Tensor& step,
                                           const c10::optional<Tensor>& others) {
  const PlainTensors plain;
  const Tensor classes = checked_classes(candidates, "candidates", 2);
  const Tensor labels = checked(target, "target", torch::kInt64, 1);
  const Tensor masses = checked(outside, "outside", torch::kFloat32, 2);
  const bool has_others = others.has_value();
  const Tensor log_total =
      has_others ? torch::cat({masses, *others}, 1).logsumexp(1) : masses.logsumexp(1);
  const Tensor cumulative = (masses - log_total.unsqueeze(1)).exp().cumsum(1);
  Tensor before;
  Tensor whole;
  if (has_others) {
    const Tensor shares = (*others - log_total.unsqueeze(1)).exp();
    before = shares.select(1, 0).contiguous();
    whole = shares.sum(1) + cumulative.select(1, cumulative.size(1) - 1);
  }
  const Tensor drawn = torch::empty({features.size(0), noises}, classes.options());
  const Tensor log_q = torch::empty({features.size(0), 1 + noises}, features.options());
  kernels::ProposalNoiseArguments task;
  task.proposal = proposal_of(features, rows, bias, order, places, block);
  task.candidates = {classes.size(1), classes.data_ptr<std::int32_t>()};
  task.outside = masses.data_ptr<float>();
  task.cumulative = cumulative.data_ptr<float>();
  task.log_total = log_total.data_ptr<float>();
  if (has_others) task.before = before.data_ptr<float>();
  if (has_others) task.whole = whole.data_ptr<float>();
  task.target = labels.data_ptr<std::int64_t>();
  task.noises = noises;
  task.seed = static_cast<std::uint64_t>(seed);
  task.step = step_of(step);
  task.classes = drawn.data_ptr<std::int32_t>();
  task.log_q = log_q.data_ptr<float>();
  on_device::draw_proposal_noises(task, features.device());
  return {drawn, log_q};
}

void implement_selection(torch::Library& library) {
  library.impl("draw_noises", &draw_noises);
  library.impl("batch_classes", &batch_classes);
  library.impl("proposal_blocks", &proposal_blocks);
  library.impl("proposal_outside", &proposal_outside);
  library.impl("proposal_noises", &proposal_noises);
}

}  // namespace
}  // namespace cane::layer

TORCH_LIBRARY_FRAGMENT(cane, library) {
  library.def("noise_law(Tensor counts, float power, Tensor excluded) -> (Tensor, Tensor, Tensor)",
              &cane::layer::noise_law);
  library.def("columns_of_classes(Tensor shared_candidates, int classes) -> Tensor",
              &cane::layer::columns_of_classes);
  library.def(
      "draw_noises(Tensor cells, Tensor outcomes, int seed, Tensor step, Tensor? examples, "
      "int noises) -> Tensor");
  library.def(
      "batch_classes(Tensor target, Tensor column_of_class, int first_column) "
      "-> (Tensor, Tensor, Tensor)");
  library.def(
      "proposal_blocks(Tensor features, Tensor rows, Tensor bias, int block) -> (Tensor, Tensor)");
  library.def(
      "proposal_outside(Tensor features, Tensor rows, Tensor bias, Tensor order, Tensor places, "
      "Tensor log_mass, int block, bool conditional, Tensor candidates) -> Tensor");
  library.def(
      "proposal_noises(Tensor features, Tensor rows, Tensor bias, Tensor order, Tensor places, "
      "Tensor outside, int block, Tensor candidates, Tensor target, int noises, int seed, "
      "Tensor step, Tensor? others=None) -> (Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(cane, CPU, library) {
  cane::layer::implement_selection(library);
}
#ifdef CANE_TORCH_CUDA
TORCH_LIBRARY_IMPL(cane, CUDA, library) {
  cane::layer::implement_selection(library);
}
#endif
