#include "train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "cane/error.h"
#include "core/simd/matrix_product.h"
#include "train/schedule.h"

namespace cane {
namespace {

// Blocks updated by one task where all threads work on one batch.
constexpr std::size_t kGroupsPerTask = 8;
// Classes updated by one matrix product.
constexpr std::uint32_t kMatrixClasses = 256;
// A selector that keeps a copy of the weights gets a new one so often in an epoch.
constexpr std::uint64_t kRefreshesPerEpoch = 4;
// A mean loss above this many times that of a blind guess, after this many batches or a
// whole epoch, is an explosion.
constexpr double kExplosionFactor = 1000.0;
constexpr std::uint64_t kBatchesBeforeVerdict = 50;

}  // namespace

OptimizerKind optimizer_of(std::size_t table, const std::vector<ParameterTable>& tables,
                           const TrainConfig& config) {
  if (scales_features(config)) {
    return table + 1 < tables.size() ? OptimizerKind::kAdagrad : OptimizerKind::kSgd;
  }
  if (has_encoder(config)) return config.optimizer;
  return table == kClassTable ? config.optimizer : OptimizerKind::kSgd;
}

TrainState make_train_state(const std::vector<ParameterTable>& tables, const TrainConfig& config) {
  TrainState state;
  for (std::size_t table = 0; table < tables.size(); ++table) {
    const BlockLayout& layout = tables[table].layout;
    state.weights.emplace_back(layout.size());
    state.optimizers.push_back(make_optimizer(optimizer_of(table, tables, config), layout));
    state.rate_scales.push_back(1.0F);
  }
  return state;
}

Trainer::Trainer(const DatasetView& data, const TrainingParts& parts, const TrainConfig& config,
                 TrainState& state, ThreadPool& pool)
    : parts_(parts),
      config_(config),
      state_(state),
      pool_(pool),
      synchronous_(parts.online == nullptr && (config.deterministic || parts.synchronous)),
      shuffle_(data, {}, parts.window, config.batch),
      workers_(static_cast<std::size_t>(pool.threads())) {
  if (parts.online != nullptr) {
    if (config.deterministic || !parts.online->is_shareable()) workers_.resize(1);
    for (Worker& own : workers_) {
      own.online = std::make_unique<OnlineLearner::Scratch>(*parts.online);
    }
    return;
  }
  const std::size_t slices =
      synchronous_ ? (config.batch + parts.worker_examples - 1) / parts.worker_examples
                   : workers_.size();
  for (std::size_t i = 0; i < slices; ++i) slices_.push_back(parts.make_worker());
}

Trainer::~Trainer() = default;

std::uint64_t Trainer::batches_per_epoch() const {
  return (shuffle_.size() + config_.batch - 1) / config_.batch;
}

std::span<const std::uint32_t> Trainer::batch(std::uint64_t index) const {
  const std::size_t begin = index * config_.batch;
  return shuffle_.order().subspan(begin,
                                  std::min<std::size_t>(config_.batch, shuffle_.size() - begin));
}

float Trainer::rate_of(std::uint64_t batch) const {
  const double batches = static_cast<double>(batches_per_epoch());
  const double done =
      (static_cast<double>(state_.loop.epoch) * batches + static_cast<double>(batch)) /
      (static_cast<double>(config_.epochs) * batches);
  return learning_rate(config_, done);
}

float Trainer::current_rate() const {
  return rate_of(state_.next_batch);
}

bool Trainer::run_epoch(const std::function<bool()>& go_on) {
  shuffle_.start_epoch(config_.seed, state_.loop.epoch);
  const std::uint64_t batches = batches_per_epoch();
  const std::uint64_t stretch =
      parts_.refreshed == nullptr
          ? batches
          : std::max<std::uint64_t>((batches + kRefreshesPerEpoch - 1) / kRefreshesPerEpoch, 1);
  stopped_ = false;
  while (state_.next_batch < batches && !stopped_) {
    const std::uint64_t end = std::min(batches, (state_.next_batch / stretch + 1) * stretch);
    if (parts_.refreshed != nullptr) {
      parts_.refreshed->refresh(config_.deterministic ? nullptr : &pool_);
    }
    run_batches(end, go_on);
  }
  return state_.next_batch == batches;
}

void Trainer::run_batches(std::uint64_t end, const std::function<bool()>& go_on) {
  while (state_.next_batch < end && !stopped_) {
    const std::size_t position = state_.next_batch * config_.batch;
    shuffle_.enter_stretch(position, pool_);
    const std::uint64_t batches =
        (shuffle_.stretch_end(position) + config_.batch - 1) / config_.batch;
    if (synchronous_) {
      run_synchronous(std::min(batches, end), go_on);
    } else {
      run_hogwild(std::min(batches, end), go_on);
    }
  }
}

void Trainer::run_hogwild(std::uint64_t end, const std::function<bool()>& go_on) {
  const CounterRandom random(config_.seed, RandomPurpose::kNoise, state_.loop.epoch);
  std::atomic<bool> stop = false;
  std::mutex mutex;  // of next_batch and totals
  const auto work = [&](std::size_t, int worker) {
    try {
      while (!stop) {
        std::uint64_t index = 0;
        {
          const std::lock_guard lock(mutex);
          if (state_.next_batch == end) return;
          index = state_.next_batch++;
        }
        const StepStats totals = take_own_batch(index, random, worker);
        {
          const std::lock_guard lock(mutex);
          state_.totals.add(totals);
          check_loss();
        }
        if (worker == 0 && !go_on()) stop = true;
      }
    } catch (...) {
      stop = true;
      throw;
    }
  };
  if (workers_.size() == 1) {
    work(0, 0);
  } else {
    pool_.run(workers_.size(), work);
  }
  stopped_ = stop;
}

StepStats Trainer::take_own_batch(std::uint64_t index, const CounterRandom& random, int worker) {
  if (parts_.online != nullptr) return learn_online(index, random, worker);
  StepWorker& slice = *slices_[static_cast<std::size_t>(worker)];
  const StepStats totals = slice.compute(batch(index), random);
  update_own(slice.gradients(), rate_of(index), worker);
  return totals;
}

StepStats Trainer::learn_online(std::uint64_t index, const CounterRandom& random, int worker) {
  OnlineLearner::Scratch& scratch = *workers_[static_cast<std::size_t>(worker)].online;
  const auto examples = batch(index);
  const float rate = rate_of(index);
  // An encoder takes its step before the next example is encoded.
  const std::size_t stretch = parts_.online->has_encoder() ? 1 : examples.size();
  StepStats totals;
  for (std::size_t begin = 0; begin < examples.size(); begin += stretch) {
    totals.add(parts_.online->learn(examples.subspan(begin, stretch), rate, random, scratch));
    update_own(scratch.gradients, rate, worker);
  }
  return totals;
}

void Trainer::update_own(std::span<const TableGradient> gradients, float rate, int worker) {
  Worker& own = workers_[static_cast<std::size_t>(worker)];
  for (const TableGradient& gradient : gradients) {
    const BlockLayout& own_layout = layout(gradient.table);
    if (own_layout.is_row_major() && !decays(gradient.table)) {
      state_.optimizers[gradient.table]->apply_rows(weights(gradient.table), own_layout,
                                                    rate * state_.rate_scales[gradient.table],
                                                    *gradient.parts, gradient.rows, own.scratch);
      continue;
    }
    const auto parts = gradient.parts->parts();
    own.grouping.build(parts.size(), own_layout.node_bound(),
                       [&](std::size_t part) { return parts[part].node; });
    for (std::size_t group = 0; group < own.grouping.size(); ++group) {
      own.tasks.clear();
      for (const std::uint32_t part : own.grouping.items(group)) {
        own.tasks.push_back(
            {gradient.rows[parts[part].example], 1.0F, gradient.parts->steps(part)});
      }
      apply(gradient.table, own.grouping.key(group), own.tasks, rate, own.scratch);
    }
  }
}

void Trainer::run_synchronous(std::uint64_t end, const std::function<bool()>& go_on) {
  const CounterRandom random(config_.seed, RandomPurpose::kNoise, state_.loop.epoch);
  std::vector<StepStats> totals(slices_.size());
  while (state_.next_batch < end) {
    const auto examples = batch(state_.next_batch);
    const std::size_t size = parts_.worker_examples;
    const std::size_t slices = (examples.size() + size - 1) / size;
    pool_.run(slices, [&](std::size_t slice, int) {
      const std::size_t begin = slice * size;
      totals[slice] = slices_[slice]->compute(
          examples.subspan(begin, std::min(size, examples.size() - begin)), random);
    });
    for (std::size_t slice = 0; slice < slices; ++slice) state_.totals.add(totals[slice]);
    check_loss();
    update_synchronous(slices, rate_of(state_.next_batch));
    ++state_.next_batch;
    if (!go_on()) {
      stopped_ = true;
      return;
    }
  }
}

void Trainer::update_synchronous(std::size_t slices, float rate) {
  if (slices_[0]->matrix() != nullptr) update_matrix(slices, rate);
  const std::size_t tables = slices_[0]->gradients().size();
  for (std::size_t table = 0; table < tables; ++table) update_table(table, slices, rate);
}

void Trainer::update_table(std::size_t place, std::size_t slices, float rate) {
  const std::size_t table = slices_[0]->gradients()[place].table;
  Grouping& grouping = workers_[0].grouping;
  places_.clear();
  for (std::uint32_t slice = 0; slice < slices; ++slice) {
    const auto parts = slices_[slice]->gradients()[place].parts->parts();
    for (std::uint32_t part = 0; part < parts.size(); ++part) {
      places_.push_back({slice, part, parts[part].node});
    }
  }
  grouping.build(places_.size(), layout(table).node_bound(),
                 [&](std::size_t item) { return places_[item].node; });
  const std::size_t tasks = (grouping.size() + kGroupsPerTask - 1) / kGroupsPerTask;
  pool_.run(tasks, [&](std::size_t task, int worker) {
    Worker& own = workers_[static_cast<std::size_t>(worker)];
    const std::size_t end = std::min(grouping.size(), (task + 1) * kGroupsPerTask);
    for (std::size_t group = task * kGroupsPerTask; group < end; ++group) {
      own.tasks.clear();
      for (const std::uint32_t item : grouping.items(group)) {
        const TableGradient& gradient = slices_[places_[item].slice]->gradients()[place];
        const auto& part = gradient.parts->parts()[places_[item].part];
        own.tasks.push_back(
            {gradient.rows[part.example], 1.0F, gradient.parts->steps(places_[item].part)});
      }
      apply(table, grouping.key(group), own.tasks, rate, own.scratch);
    }
  });
}

void Trainer::update_matrix(std::size_t slices, float rate) {
  const BlockLayout& rows = layout(kClassTable);
  const std::size_t tasks = (parts_.classes + kMatrixClasses - 1) / kMatrixClasses;
  pool_.run(tasks, [&](std::size_t task, int) {
    const auto first = static_cast<std::uint32_t>(task) * kMatrixClasses;
    const std::uint32_t count = std::min(kMatrixClasses, parts_.classes - first);
    float* table = weights(kClassTable) + rows.offset(first);
    for (std::size_t slice = 0; slice < slices; ++slice) {
      const MatrixGradient& gradient = *slices_[slice]->matrix();
      if (config_.l2 > 0.0F) {
        const float factor =
            std::pow(1.0F - rate * config_.l2, static_cast<float>(gradient.examples));
        for (std::size_t i = 0; i < count * rows.pitch(); ++i) table[i] *= factor;
      }
      add_outer_products({table, rows.pitch()}, count, rows.pitch(),
                         {gradient.steps + first, gradient.steps_pitch},
                         {gradient.inputs, gradient.inputs_pitch}, gradient.examples, rate);
    }
  });
}

void Trainer::apply(std::size_t table, NodeId node, std::span<const UpdateTask> tasks, float rate,
                    std::vector<float>& scratch) {
  if (decays(table)) {
    for (const UpdateTask& task : tasks) decay(table, node, task, rate, scratch);
  }
  state_.optimizers[table]->apply(weights(table), layout(table), node,
                                  rate * state_.rate_scales[table], tasks, scratch);
}

void Trainer::decay(std::size_t table, NodeId node, const UpdateTask& task, float rate,
                    std::vector<float>& factors) {
  const BlockShape shape = layout(table).shape(node);
  factors.resize(shape.stride);
  for (std::uint32_t child = 0; child < shape.stride; ++child) {
    factors[child] = task.steps[child] == 0.0F ? 1.0F : 1.0F - rate * config_.l2;
  }
  scale_block(weights(table) + layout(table).offset(node), shape, task.row, factors.data());
}

void Trainer::check_loss() const {
  const double mean = state_.totals.loss / std::max(state_.totals.weight, 1e-30);
  const double limit = kExplosionFactor * parts_.chance_loss;
  const std::uint64_t verdict_at =
      std::min<std::uint64_t>(kBatchesBeforeVerdict * config_.batch, shuffle_.size());
  if (std::isfinite(mean) && (mean <= limit || state_.totals.examples < verdict_at)) return;
  throw Error(
      fmt::format("the loss {} in epoch {} after {} examples; try a lower --lr (it was {}), "
                  "--normalize l2, or --clip 1",
                  std::isfinite(mean) ? fmt::format("exploded (it is {:.3g})", mean)
                                      : std::string("is no longer a number"),
                  state_.loop.epoch + 1, state_.totals.examples, config_.lr));
}

}  // namespace cane
