// Training for a benchmark, assembled as in the library, but on data in memory, whose labels need
// no names.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/describe_model.h"
#include "engine/method.h"
#include "methods/resolve.h"
#include "train/clusters/build_tree.h"
#include "train/executors/executors.h"
#include "train/start/automatic_rate.h"
#include "train/start/start.h"
#include "train/trainer.h"

namespace cane::bench {

/// Everything in a model but its weights.
inline ModelData describe_model(const DatasetView& data, std::uint32_t classes,
                                const TrainConfig& asked, ThreadPool& pool) {
  const DataFacts facts = facts_of(data, classes);
  ModelData model;
  model.config = resolve(asked, facts).config;
  TrainConfig& config = model.config;
  if (config.lr == 0.0F) config.lr = automatic_rate(data, config, classes);
  model.vocabulary.labels.resize(classes);
  model.vocabulary.dimension = data.dimension();
  model.training_examples = data.size();
  model.class_counts.assign(classes, 0);
  for (std::size_t e = 0; e < data.size(); ++e) ++model.class_counts[data.label(e)];
  if (uses_tree(config)) {
    model.tree =
        build_tree(config.tree, data, model.vocabulary.labels, config.arity, config.seed, pool);
  }
  model.flat_width = flat_width(config, facts.density);
  model.tables = make_tables(config, model.tree, classes, data.dimension(), model.flat_width);
  return model;
}

inline TrainState fresh_state(const ModelData& model, const DatasetView& data, ThreadPool& pool) {
  TrainState state = make_train_state(model.tables, model.config);
  start_weights(data, model, pool, state);
  return state;
}

/// Starts from a copy of a state's weights. The model, the data and the pool must outlive it.
class BenchTraining {
 public:
  BenchTraining(const ModelData& model, const DatasetView& data, const TrainState& start,
                ThreadPool& pool)
      : state_(make_train_state(model.tables, model.config)),
        method_(make_training_method(model, data, state_)),
        context_(pool),
        trainer_(model, data, nullptr, state_, pool,
                 make_executor(method_.parts, model.config, data.size(), state_, context_)) {
    for (std::size_t table = 0; table < start.weights.size(); ++table) {
      std::copy_n(start.weights[table].data(), start.weights[table].size(),
                  state_.weights[table].data());
    }
    state_.rate_scales = start.rate_scales;
  }
  BenchTraining(const BenchTraining&) = delete;
  BenchTraining& operator=(const BenchTraining&) = delete;

  /// Runs the current epoch from its beginning: the same examples at the same rates every time.
  StepStats run_epoch() {
    return run([] { return true; });
  }

  /// Runs the first batches of the epoch. The count is exact only if all threads work on one batch.
  StepStats run_batches(std::uint64_t count) {
    std::uint64_t done = 0;
    return run([&] { return ++done < count; });
  }

  /// Runs the epochs one after another.
  void run_epochs(std::uint32_t epochs) {
    for (; state_.loop.epoch < epochs; ++state_.loop.epoch) run_epoch();
  }

  const WeightTables& weights() const { return state_.weights; }
  /// Totals of the last epoch.
  const StepStats& totals() const { return state_.totals; }

 private:
  template <typename GoOn>
  StepStats run(const GoOn& go_on) {
    state_.next_batch = 0;
    state_.totals = {};
    trainer_.run_epoch(go_on);
    return state_.totals;
  }

  TrainState state_;
  TrainingMethod method_;
  RunContext context_;
  Trainer trainer_;
};

}  // namespace cane::bench
