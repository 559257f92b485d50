#include "train/executors/updater.h"

#include <algorithm>
#include <mutex>

namespace cane {
namespace {

// Blocks updated by one task of a synchronous update.
constexpr std::size_t kGroupsPerTask = 8;
// In a block of this many features threads rarely change the same ones.
constexpr FeatureId kWideBlock = 4096;
// Smaller steps are thinned where threads share the weights. The accuracy of every method on ALOI
// is the same with and without.
constexpr float kLeastStep = 0.1F;

// Marsaglia's xorshift: where threads share the weights, results are not repeatable anyway.
float next_uniform(std::uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return static_cast<float>(state >> 40) * 0x1p-24F;
}

}  // namespace

void Updater::apply(std::span<const TableGradient> gradients, float rate, Scratch& scratch) {
  for (const TableGradient& gradient : gradients) {
    const BlockLayout& blocks = layout(gradient.table);
    if (may_thin(gradient)) {
      gradient.parts->thin(kLeastStep, [&] { return next_uniform(scratch.draws); });
    }
    if (recorded_ != nullptr) mark(gradient);
    if (blocks.is_row_major() && !decays(gradient.table)) {
      state_.optimizers[gradient.table]->apply_rows(weights(gradient.table), blocks,
                                                    rate * state_.rate_scales[gradient.table],
                                                    *gradient.parts, gradient.rows, scratch.floats);
      continue;
    }
    const auto parts = gradient.parts->parts();
    scratch.grouping.build(parts.size(), blocks.node_bound(),
                           [&](std::size_t part) { return parts[part].node; });
    apply_groups(gradient, rate, scratch);
  }
}

bool Updater::may_thin(const TableGradient& gradient) const {
  return is_shared_ && gradient.is_probability && !decays(gradient.table) &&
         state_.optimizers[gradient.table]->state().empty();
}

// A step changes the features that its row has, and the bias.
void Updater::mark(const TableGradient& gradient) {
  const BlockLayout& blocks = layout(gradient.table);
  const std::size_t dimension = blocks.dimension();
  TouchedPages& weights = recorded_->touched(gradient.table);
  TouchedPages& sums = recorded_->touched(gradient.table + tables_.size());
  const auto mark_features = [&](NodeId node, std::size_t begin, std::size_t end) {
    const std::size_t stride = blocks.shape(node).stride;
    const std::size_t block = blocks.offset(node);
    weights.touch(block + begin * stride, block + end * stride);
    const std::size_t of_block = node * (dimension + 1);
    if (sums.size() > 0) sums.touch(of_block + begin, of_block + end);
  };
  for (const auto& [example, node] : gradient.parts->parts()) {
    const RowView& row = gradient.rows[example];
    if (row.indices == nullptr) {
      mark_features(node, 0, dimension + 1);
      continue;
    }
    for (std::uint32_t i = 0; i < row.count; ++i) {
      mark_features(node, row.indices[i], std::size_t{row.indices[i]} + 1);
    }
    mark_features(node, dimension, dimension + 1);
  }
}

// A block that another thread is changing is left for later: meanwhile the others can be done.
void Updater::apply_groups(const TableGradient& gradient, float rate, Scratch& scratch) {
  const std::size_t groups = scratch.grouping.size();
  const bool locks =
      is_shared_ && gradient.is_probability && layout(gradient.table).dimension() < kWideBlock;
  const auto lock_of = [&](std::size_t group) -> SpinLock& {
    return locks_.of(scratch.grouping.key(group) + gradient.table);
  };
  scratch.later.clear();
  for (std::size_t group = 0; group < groups; ++group) {
    std::unique_lock<SpinLock> lock;
    if (locks) lock = std::unique_lock(lock_of(group), std::try_to_lock);
    if (!locks || lock.owns_lock()) {
      apply_group(gradient, group, rate, scratch);
    } else {
      scratch.later.push_back(group);
    }
  }
  for (const std::size_t group : scratch.later) {
    const std::lock_guard lock(lock_of(group));
    apply_group(gradient, group, rate, scratch);
  }
}

void Updater::apply_group(const TableGradient& gradient, std::size_t group, float rate,
                          Scratch& scratch) {
  const auto parts = gradient.parts->parts();
  scratch.tasks.clear();
  for (const std::uint32_t part : scratch.grouping.items(group)) {
    scratch.tasks.push_back(
        {gradient.rows[parts[part].example], 1.0F, gradient.parts->steps(part)});
  }
  apply_block(gradient.table, scratch.grouping.key(group), rate, scratch);
}

void Updater::apply(Slices slices, float rate, ThreadPool& pool) {
  scratch_.resize(static_cast<std::size_t>(pool.threads()));
  for (std::size_t index = 0; index < slices[0].size(); ++index) {
    apply_blocks(slices, index, rate, pool);
  }
}

void Updater::apply_blocks(Slices slices, std::size_t index, float rate, ThreadPool& pool) {
  const std::size_t table = slices[0][index].table;
  parts_.clear();
  for (std::uint32_t slice = 0; slice < slices.size(); ++slice) {
    const auto parts = slices[slice][index].parts->parts();
    for (std::uint32_t part = 0; part < parts.size(); ++part) {
      parts_.push_back({slice, part, parts[part].node});
    }
  }
  grouping_.build(parts_.size(), layout(table).node_bound(),
                  [&](std::size_t item) { return parts_[item].node; });
  const std::size_t tasks = (grouping_.size() + kGroupsPerTask - 1) / kGroupsPerTask;
  pool.run(tasks, [&](std::size_t task, int worker) {
    Scratch& scratch = scratch_[static_cast<std::size_t>(worker)];
    const std::size_t end = std::min(grouping_.size(), (task + 1) * kGroupsPerTask);
    for (std::size_t group = task * kGroupsPerTask; group < end; ++group) {
      scratch.tasks.clear();
      for (const std::uint32_t item : grouping_.items(group)) {
        const TableGradient& gradient = slices[parts_[item].slice][index];
        const auto& part = gradient.parts->parts()[parts_[item].part];
        scratch.tasks.push_back(
            {gradient.rows[part.example], 1.0F, gradient.parts->steps(parts_[item].part)});
      }
      apply_block(table, grouping_.key(group), rate, scratch);
    }
  });
}

void Updater::apply_block(std::size_t table, NodeId node, float rate, Scratch& scratch) {
  if (decays(table)) {
    for (const UpdateTask& task : scratch.tasks) decay(table, node, task, rate, scratch.floats);
  }
  state_.optimizers[table]->apply(weights(table), layout(table), node,
                                  rate * state_.rate_scales[table], scratch.tasks, scratch.floats);
}

void Updater::decay(std::size_t table, NodeId node, const UpdateTask& task, float rate,
                    std::vector<float>& factors) {
  const BlockShape shape = layout(table).shape(node);
  factors.resize(shape.stride);
  for (std::uint32_t child = 0; child < shape.stride; ++child) {
    factors[child] = task.steps[child] == 0.0F ? 1.0F : 1.0F - rate * l2_;
  }
  scale_block(weights(table) + layout(table).offset(node), shape, task.row, factors.data());
}

}  // namespace cane
