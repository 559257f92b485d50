#include "learn/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "cane/error.h"
#include "learn/class_means.h"
#include "learn/schedule.h"
#include "learn/shuffle.h"
#include "noise/uniform_noise.h"

namespace cane {
namespace {

// In deterministic mode a batch is cut into slices of this many examples, whatever the threads.
constexpr std::size_t kSliceExamples = 8;
// Nodes updated by one task in deterministic mode.
constexpr std::size_t kGroupsPerTask = 8;
// A mean loss above this many times that of a blind guess, after this many batches or a
// whole epoch, is an explosion.
constexpr double kExplosionFactor = 1000.0;
constexpr std::uint64_t kBatchesBeforeVerdict = 50;

}  // namespace

TrainState make_train_state(const BlockLayout& layout, const TrainConfig& config) {
  TrainState state;
  state.weights = AlignedBuffer<float>(layout.size());
  state.optimizer = make_optimizer(config.optimizer, layout);
  return state;
}

float start_from_means(const DatasetView& data, const ClassTree& tree, const BlockLayout& layout,
                       const TrainConfig& config, TrainState& state, ThreadPool& pool) {
  set_class_means(data, tree, layout, pool, state.weights.data());
  const BeamSearch selector(PathScorer(tree, layout, state.weights.data()));
  const UniformNoise noise(tree.class_count());
  const float scale =
      best_scale({&data, &selector, &noise, tree.class_count(), config.candidates, config.noises},
                 config.seed);
  for (float& weight : state.weights.span()) weight *= scale;
  return scale;
}

Trainer::Trainer(const DatasetView& data, const ClassTree& tree, const BlockLayout& layout,
                 const TrainConfig& config, TrainState& state, ThreadPool& pool)
    : tree_(tree),
      layout_(layout),
      config_(config),
      state_(state),
      pool_(pool),
      scorer_(tree, layout, state.weights.data()),
      selector_(scorer_),
      noise_(std::make_unique<UniformNoise>(tree.class_count())),
      order_(data.size()),
      workers_(static_cast<std::size_t>(pool.threads())) {
  const MethodParts parts = {
      &data, &selector_, noise_.get(), tree.class_count(), config.candidates, config.noises};
  const std::size_t slices =
      config.deterministic ? (config.batch + kSliceExamples - 1) / kSliceExamples : workers_.size();
  slices_.reserve(slices);
  for (std::size_t i = 0; i < slices; ++i) {
    slices_.emplace_back(parts, config.clip, tree, layout);
  }
}

Trainer::~Trainer() = default;

std::uint64_t Trainer::batches_per_epoch() const {
  return (order_.size() + config_.batch - 1) / config_.batch;
}

std::span<const std::uint32_t> Trainer::batch(std::uint64_t index) const {
  const std::size_t begin = index * config_.batch;
  return std::span(order_).subspan(begin,
                                   std::min<std::size_t>(config_.batch, order_.size() - begin));
}

float Trainer::rate_of(std::uint64_t batch) const {
  const double batches = static_cast<double>(batches_per_epoch());
  const double done = (static_cast<double>(state_.epoch) * batches + static_cast<double>(batch)) /
                      (static_cast<double>(config_.epochs) * batches);
  return learning_rate(config_, done);
}

float Trainer::current_rate() const {
  return rate_of(state_.next_batch);
}

bool Trainer::run_epoch(const std::function<bool()>& go_on) {
  shuffle_examples(config_.seed, state_.epoch, order_);
  if (config_.deterministic) {
    run_deterministic(go_on);
  } else {
    run_shared(go_on);
  }
  return state_.next_batch == batches_per_epoch();
}

void Trainer::run_shared(const std::function<bool()>& go_on) {
  const CounterRandom random(config_.seed, RandomPurpose::kNoise, state_.epoch);
  const std::uint64_t batches = batches_per_epoch();
  std::atomic<bool> stop = false;
  std::mutex mutex;  // of next_batch and totals
  pool_.run(workers_.size(), [&](std::size_t, int worker) {
    GradientSlice& slice = slices_[static_cast<std::size_t>(worker)];
    try {
      while (!stop) {
        std::uint64_t index = 0;
        {
          const std::lock_guard lock(mutex);
          if (state_.next_batch == batches) return;
          index = state_.next_batch++;
        }
        const SliceTotals totals = slice.compute(batch(index), random);
        update_own_batch(slice, rate_of(index), worker);
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
  });
}

void Trainer::update_own_batch(const GradientSlice& slice, float rate, int worker) {
  Worker& own = workers_[static_cast<std::size_t>(worker)];
  const auto parts = slice.gradient().parts();
  own.grouping.build(parts.size(), layout_.node_bound(),
                     [&](std::size_t part) { return parts[part].node; });
  for (std::size_t group = 0; group < own.grouping.size(); ++group) {
    own.tasks.clear();
    for (const std::uint32_t part : own.grouping.items(group)) {
      own.tasks.push_back({slice.row(parts[part].example), 1.0F, slice.gradient().steps(part)});
    }
    apply(own.grouping.key(group), own.tasks, rate, own.scratch);
  }
}

void Trainer::run_deterministic(const std::function<bool()>& go_on) {
  const CounterRandom random(config_.seed, RandomPurpose::kNoise, state_.epoch);
  const std::uint64_t batches = batches_per_epoch();
  std::vector<SliceTotals> totals(slices_.size());
  while (state_.next_batch < batches) {
    const auto examples = batch(state_.next_batch);
    const std::size_t slices = (examples.size() + kSliceExamples - 1) / kSliceExamples;
    pool_.run(slices, [&](std::size_t slice, int) {
      const std::size_t begin = slice * kSliceExamples;
      totals[slice] = slices_[slice].compute(
          examples.subspan(begin, std::min(kSliceExamples, examples.size() - begin)), random);
    });
    for (std::size_t slice = 0; slice < slices; ++slice) state_.totals.add(totals[slice]);
    check_loss();
    update_all(slices, rate_of(state_.next_batch));
    ++state_.next_batch;
    if (!go_on()) return;
  }
}

void Trainer::update_all(std::size_t slices, float rate) {
  struct Place {
    std::uint32_t slice;
    std::uint32_t part;
    NodeId node;
  };
  Grouping& grouping = workers_[0].grouping;
  std::vector<Place> places;
  for (std::uint32_t slice = 0; slice < slices; ++slice) {
    const auto parts = slices_[slice].gradient().parts();
    for (std::uint32_t part = 0; part < parts.size(); ++part) {
      places.push_back({slice, part, parts[part].node});
    }
  }
  grouping.build(places.size(), layout_.node_bound(),
                 [&](std::size_t place) { return places[place].node; });
  const std::size_t tasks = (grouping.size() + kGroupsPerTask - 1) / kGroupsPerTask;
  pool_.run(tasks, [&](std::size_t task, int worker) {
    Worker& own = workers_[static_cast<std::size_t>(worker)];
    const std::size_t end = std::min(grouping.size(), (task + 1) * kGroupsPerTask);
    for (std::size_t group = task * kGroupsPerTask; group < end; ++group) {
      own.tasks.clear();
      for (const std::uint32_t item : grouping.items(group)) {
        const GradientSlice& slice = slices_[places[item].slice];
        const auto& part = slice.gradient().parts()[places[item].part];
        own.tasks.push_back(
            {slice.row(part.example), 1.0F, slice.gradient().steps(places[item].part)});
      }
      apply(grouping.key(group), own.tasks, rate, own.scratch);
    }
  });
}

void Trainer::apply(NodeId node, std::span<const UpdateTask> tasks, float rate,
                    std::vector<float>& scratch) {
  if (config_.l2 > 0.0F) {
    for (const UpdateTask& task : tasks) decay(node, task, rate, scratch);
  }
  state_.optimizer->apply(state_.weights.data(), layout_, node, rate, tasks, scratch);
}

void Trainer::decay(NodeId node, const UpdateTask& task, float rate, std::vector<float>& factors) {
  const BlockShape shape = layout_.shape(node);
  factors.resize(shape.stride);
  for (std::uint32_t child = 0; child < shape.stride; ++child) {
    factors[child] = task.steps[child] == 0.0F ? 1.0F : 1.0F - rate * config_.l2;
  }
  scale_block(state_.weights.data() + layout_.offset(node), shape, task.row, factors.data());
}

void Trainer::check_loss() const {
  const double mean = state_.totals.loss / std::max(state_.totals.weight, 1e-30);
  const double limit = kExplosionFactor * std::log(static_cast<double>(tree_.class_count()));
  const std::uint64_t verdict_at =
      std::min<std::uint64_t>(kBatchesBeforeVerdict * config_.batch, order_.size());
  if (std::isfinite(mean) && (mean <= limit || state_.totals.examples < verdict_at)) return;
  throw Error(
      fmt::format("the loss {} in epoch {} after {} examples; try a lower --lr (it was {}), "
                  "--normalize l2, or --clip 1",
                  std::isfinite(mean) ? fmt::format("exploded (it is {:.3g})", mean)
                                      : std::string("is no longer a number"),
                  state_.epoch + 1, state_.totals.examples, config_.lr));
}

}  // namespace cane
