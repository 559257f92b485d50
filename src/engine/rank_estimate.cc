#include "engine/rank_estimate.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/stopwatch.h"
#include "core/simd/change_kernels.h"
#include "data/loaded_data.h"
#include "engine/class_memory.h"
#include "engine/describe_model.h"
#include "engine/exchange_cost.h"
#include "engine/memory_estimate.h"
#include "engine/method.h"
#include "engine/parts.h"
#include "engine/rehearsal.h"
#include "engine/sharded_trainer.h"
#include "engine/start_class_training.h"
#include "methods/parallel.h"
#include "train/classes/class_traffic.h"
#include "train/parallel/slice_exchange.h"
#include "train/trainer.h"

namespace cane {
namespace {

// Repeated measurements of a short stretch take this long.
constexpr double kTimedFor = 0.3;
// Steps become shorter, and some too short to be sent: what changes is the mean of these.
constexpr double kPartsOfTraining[] = {0.125, 0.375, 0.625, 0.875};

// Lines that have changed, those of them that WeightExchange would send, and what the first take to
// be looked at and the second to be added.
struct Changes {
  double lines = 0.0;
  double sent = 0.0;
  double take_seconds = 0.0;
  double add_seconds = 0.0;
};

Changes changes_since(const std::vector<std::vector<float>>& before,
                      std::span<const ChangingArray> arrays) {
  Changes changes;
  for (std::size_t array = 0; array < arrays.size(); ++array) {
    std::vector<float> known = before[array];
    const std::span<const float> now = arrays[array].values;
    std::vector<float> values(now.begin(), now.end());
    known.resize((known.size() + kChangeLine - 1) / kChangeLine * kChangeLine, 0.0F);
    values.resize(known.size(), 0.0F);
    std::vector<std::size_t> changed;
    for (std::size_t at = 0; at < known.size(); at += kChangeLine) {
      if (!std::equal(&known[at], &known[at] + kChangeLine, &values[at])) changed.push_back(at);
    }
    std::vector<std::size_t> sent;
    std::vector<Half> halves;
    const Stopwatch taking;
    for (const std::size_t at : changed) {
      Half change[kChangeLine];
      if (!take_change(&values[at], &known[at], arrays[array].least_change, change)) continue;
      sent.push_back(at);
      halves.insert(halves.end(), std::begin(change), std::end(change));
    }
    changes.take_seconds += taking.seconds();
    const Stopwatch adding;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      add_change(&halves[i * kChangeLine], &values[sent[i]], &known[sent[i]]);
    }
    changes.add_seconds += adding.seconds();
    changes.lines += static_cast<double>(changed.size());
    changes.sent += static_cast<double>(sent.size());
  }
  return changes;
}

RankEstimate estimate_exchange(Rehearsal& rehearsal, const Dataset& data, const Cluster& cluster) {
  const ModelData& model = rehearsal.model();
  rehearsal.begin();
  ExchangeMeasures measures = {.examples = data.size(),
                               .classes = data.classes(),
                               .batch = model.config.batch,
                               .batch_seconds = rehearsal.seconds_per_batch(),
                               .sent_lines = {},
                               .changed_lines = {}};
  const std::vector<ChangingArray> arrays = changing_arrays(rehearsal.state(), model.config);
  for (const ChangingArray& array : arrays) {
    measures.lines += static_cast<double>((array.values.size() + kChangeLine - 1) / kChangeLine);
  }
  const ExchangeInterval interval(measures.examples, measures.classes, measures.batch,
                                  cluster.ranks);
  const std::uint64_t most = interval.most() / static_cast<std::uint64_t>(cluster.ranks);
  for (std::uint64_t batches = 1; batches <= std::bit_ceil(most); batches *= 2) {
    double lines = 0.0;
    double sent = 0.0;
    for (const double part : kPartsOfTraining) {
      std::vector<std::vector<float>> before;
      for (const ChangingArray& array : arrays) {
        before.emplace_back(array.values.begin(), array.values.end());
      }
      const auto done = static_cast<double>(rehearsal.run(batches, part));
      const Changes changes = changes_since(before, arrays);
      const double share = static_cast<double>(batches) / done / std::size(kPartsOfTraining);
      lines += share * changes.lines;
      sent += share * changes.sent;
      measures.take_seconds = changes.take_seconds / std::max(changes.lines, 1.0);
      measures.add_seconds = changes.add_seconds / std::max(changes.sent, 1.0);
    }
    measures.changed_lines.push_back(lines);
    measures.sent_lines.push_back(sent);
  }
  return exchange_cost(measures, cluster);
}

// All slices of a batch, each with a worker of its own, as the ranks would compute them.
RankEstimate estimate_slices(Rehearsal& rehearsal, const Dataset& data, ThreadPool& pool,
                             const Cluster& cluster) {
  const ModelData& model = rehearsal.model();
  rehearsal.begin();
  TrainState& state = rehearsal.state();
  TrainingMethod method = make_training_method(model, data.data().view, state);
  const std::size_t batch = std::min<std::size_t>(model.config.batch, data.size());
  const std::size_t size = slice_examples(model.config, cluster.ranks);
  const std::size_t slices = (batch + size - 1) / size;
  const std::size_t own = (slices + static_cast<std::size_t>(cluster.ranks) - 1) /
                          static_cast<std::size_t>(cluster.ranks);
  std::vector<std::unique_ptr<StepWorker>> workers;
  for (std::size_t i = 0; i < slices; ++i) workers.push_back(method.parts.make_worker());
  const CounterRandom random(model.config.seed, RandomPurpose::kNoise, 0);
  std::vector<std::uint32_t> examples(batch);
  std::vector<std::span<const TableGradient>> gradients(slices);
  const auto compute = [&](std::size_t slice) {
    const std::size_t begin = slice * size;
    workers[slice]->compute(std::span(examples).subspan(begin, std::min(size, batch - begin)),
                            random);
    gradients[slice] = workers[slice]->gradients();
  };
  Updater updater(model.tables, model.config.l2, state);
  SliceMeasures measures = {.examples = data.size(), .batch = model.config.batch};
  double batches = 0.0;
  for (const Stopwatch watch; watch.seconds() < kTimedFor; ++batches) {
    const auto first = static_cast<std::uint64_t>(batches) * batch;
    for (std::size_t i = 0; i < batch; ++i) {
      examples[i] = static_cast<std::uint32_t>((first + i) * 7919 % data.size());
    }
    for (std::size_t slice = own; slice < slices; ++slice) compute(slice);
    const Stopwatch computing;
    pool.run(own, [&](std::size_t slice, int) { compute(slice); });
    measures.computing += computing.seconds();
    const Stopwatch packing;
    const auto bytes = static_cast<double>(packed_gradients(gradients, model.tables).size());
    measures.packing += packing.seconds() / cluster.ranks;
    measures.bytes += bytes / cluster.ranks;
    const Stopwatch updating;
    updater.apply(gradients, model.config.lr, pool);
    measures.updating += updating.seconds();
  }
  for (double* total :
       {&measures.computing, &measures.packing, &measures.bytes, &measures.updating}) {
    *total /= batches;
  }
  return slice_cost(measures, cluster);
}

// The classes of one rank with their examples: a batch of these costs what a batch of all examples
// costs that rank.
Dataset part_of_classes(const Dataset& data, std::size_t classes) {
  const DatasetView& view = data.data().view;
  std::vector<std::uint32_t> examples;
  for (std::size_t example = 0; example < view.size(); ++example) {
    if (view.label(example) < classes) examples.push_back(static_cast<std::uint32_t>(example));
  }
  LoadedData part = data.subset(examples).data();
  part.vocabulary.labels.resize(classes);
  return Dataset(std::make_shared<const LoadedData>(std::move(part)));
}

}  // namespace

RankEstimate estimate_by_data(const Dataset& data, const TrainConfig& asked,
                              const Cluster& cluster) {
  ThreadPool pool(asked.threads);
  TrainConfig options = asked;
  const DataFacts facts = facts_of(data.data().view, static_cast<std::uint32_t>(data.classes()));
  options.batch = batch_of_ranks(asked, facts, cluster.ranks);
  Rehearsal rehearsal(data, options, pool);
  const ModelData& model = rehearsal.model();
  check_ranks_can_share(model.config);
  TrainEstimate memory = estimate_memory(data.data(), model, pool.threads(), false);
  const bool is_synchronous = shares_slices(model.config);
  if (!is_synchronous) {
    memory.model_bytes += WeightExchange::bytes_for(memory.model_bytes / sizeof(float));
    memory.optimizer_bytes += WeightExchange::bytes_for(memory.optimizer_bytes / sizeof(float));
  }
  check_memory(memory);
  RankEstimate estimate;
  if (is_synchronous && is_matrix_product(model)) {
    // Every rank computes all of it for itself.
    rehearsal.begin();
    estimate.seconds = rehearsal.seconds_per_batch() *
                       static_cast<double>(rehearsal.trainer().batches_per_epoch());
    estimate.examples = data.size();
    estimate.examples_between = data.size();
  } else if (is_synchronous) {
    estimate = estimate_slices(rehearsal, data, pool, cluster);
  } else {
    estimate = estimate_exchange(rehearsal, data, cluster);
  }
  estimate.parallel = ParallelKind::kData;
  estimate.memory_bytes = memory.total_bytes();
  estimate.free_bytes = memory.free_bytes;
  return estimate;
}

RankEstimate estimate_by_classes(const Dataset& data, const TrainConfig& asked,
                                 const Cluster& cluster) {
  const TrainConfig options = options_for_classes(asked);
  ThreadPool pool(options.threads);
  TrainObserver silent;
  const TrainEstimate memory = class_training_memory(data, options, pool, cluster.ranks);
  check_memory(memory);
  const std::size_t ranks = static_cast<std::size_t>(cluster.ranks);
  const Dataset part =
      part_of_classes(data, std::max<std::size_t>((data.classes() + ranks - 1) / ranks, 2));
  // What is left open must not follow from the part.
  TrainConfig options_of_part = options;
  const DataFacts facts = facts_of(data.data().view, static_cast<std::uint32_t>(data.classes()));
  options_of_part.batch = resolve(options, facts).config.batch;
  Communicator alone;
  ShardedCheckpoint run = start_class_training(part, options_of_part, false, pool, silent, alone);
  ShardedTrainer sharded(part.data().view, run, pool, alone);
  const Stopwatch watch;
  sharded.trainer().run_epoch([&] { return watch.seconds() < 5 * kTimedFor; });
  const ClassTraffic traffic =
      class_traffic(run.model.config, ClassShards::count_for(cluster.ranks), cluster.ranks);
  RankEstimate estimate = class_cost(
      {.examples = data.size(),
       .batch = run.model.config.batch,
       .batch_seconds = watch.seconds() / static_cast<double>(run.state.common.next_batch),
       .bytes = traffic.total()},
      cluster);
  estimate.parallel = ParallelKind::kClasses;
  estimate.memory_bytes = memory.total_bytes();
  estimate.free_bytes = memory.free_bytes;
  return estimate;
}

}  // namespace cane
