#include <chrono>

#include "api/check_config.h"
#include "api/describe_model.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "candidates/remembering_selector.h"
#include "cane/train.h"
#include "data/loaded_data.h"
#include "learn/start.h"
#include "learn/trainer.h"
#include "methods/method.h"

namespace cane {
namespace {

constexpr std::chrono::milliseconds kTimedFor(1500);

std::uint64_t bytes_of(const DatasetView& data) {
  const std::uint64_t per_value =
      data.is_dense() ? sizeof(float) : sizeof(float) + sizeof(FeatureId);
  const std::uint64_t per_example = sizeof(ClassId) + (data.is_dense() ? 0 : sizeof(std::uint64_t));
  return data.stored_values() * per_value + data.size() * per_example;
}

// What a thread holds for an example of its batch: the scores of the classes and nodes it visits,
// in the search and once more for the gradient.
std::uint64_t floats_per_example(const ModelData& model) {
  const TrainConfig& config = model.config;
  const std::uint64_t classes = model.vocabulary.labels.size();
  std::uint64_t floats = model.vocabulary.dimension;
  const bool scores_all = config.method == Method::kSoftmax || config.select == Select::kAll ||
                          config.select == Select::kExact || config.select == Select::kNarrow;
  if (scores_all) floats += 2 * classes;
  if (uses_tree(config)) {
    const std::uint64_t pairs =
        std::uint64_t{2} * (config.beam + config.noises) * model.tree.depth();
    floats += pairs * model.tables.back().layout.widest_stride();
  }
  return floats;
}

}  // namespace

TrainEstimate estimate_training(const Dataset& data, const TrainConfig& asked) {
  using Clock = std::chrono::steady_clock;
  check_config(asked);
  const DatasetView& view = data.data().view;
  ThreadPool pool(asked.threads);
  TrainObserver silent;
  ModelData model = describe_model(data, asked, pool, silent);
  TrainEstimate estimate;
  estimate.free_bytes = available_memory();
  estimate.data_bytes = bytes_of(view);
  estimate.model_bytes = total_size(model.tables) * sizeof(float);
  for (std::size_t table = 0; table < model.tables.size(); ++table) {
    estimate.optimizer_bytes += optimizer_bytes(optimizer_of(table, model.tables, model.config),
                                                model.tables[table].layout);
  }
  estimate.workspace_bytes = view.size() * sizeof(std::uint32_t) +
                             static_cast<std::uint64_t>(pool.threads()) * model.config.batch *
                                 floats_per_example(model) * sizeof(float);
  if (model.config.reuse > 1) {
    estimate.workspace_bytes += RememberingSelector::bytes(view.size(), model.config.beam);
  }

  TrainState state = make_train_state(model.tables, model.config);
  start_routing(model, state);
  start_weights(view, model, pool, state);
  const TrainingMethod method = make_training_method(model, view, state);
  Trainer trainer(view, method.parts, model.config, state, pool);
  const auto begin = Clock::now();
  trainer.run_epoch([&] { return Clock::now() - begin < kTimedFor; });
  const std::chrono::duration<double> seconds = Clock::now() - begin;
  estimate.seconds = seconds.count() / static_cast<double>(state.next_batch) *
                     static_cast<double>(trainer.batches_per_epoch()) * model.config.epochs;
  return estimate;
}

}  // namespace cane
