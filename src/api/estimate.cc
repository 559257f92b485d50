#include <algorithm>
#include <chrono>

#include "api/check_config.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "cane/train.h"
#include "cane/tree.h"
#include "data/loaded_data.h"
#include "learn/automatic_rate.h"
#include "learn/trainer.h"
#include "methods/choose.h"
#include "model/block_layout.h"

namespace cane {
namespace {

constexpr std::chrono::milliseconds kTimedFor(1500);

std::uint64_t bytes_of(const DatasetView& data) {
  const std::uint64_t per_value =
      data.is_dense() ? sizeof(float) : sizeof(float) + sizeof(FeatureId);
  const std::uint64_t per_example = sizeof(ClassId) + (data.is_dense() ? 0 : sizeof(std::uint64_t));
  return data.stored_values() * per_value + data.size() * per_example;
}

}  // namespace

TrainEstimate estimate_training(const Dataset& data, const TrainConfig& asked) {
  using Clock = std::chrono::steady_clock;
  check_config(asked);
  const DatasetView& view = data.data().view;
  TrainConfig config =
      choose(asked, facts_of(view, static_cast<std::uint32_t>(data.classes()))).config;
  if (config.lr == 0.0F) config.lr = automatic_rate(view, config.optimizer);
  ThreadPool pool(config.threads);
  const ClassTree tree =
      Tree::build(config.tree, data, config.arity, config.seed, config.threads).data();
  const BlockLayout layout(tree, view.dimension());
  TrainEstimate estimate;
  estimate.free_bytes = available_memory();
  estimate.data_bytes = bytes_of(view);
  estimate.model_bytes = layout.size() * sizeof(float);
  estimate.optimizer_bytes = optimizer_bytes(config.optimizer, layout);
  // The order of the examples; and for every thread the scores of the pairs its batches visit, in
  // the search and once more for the gradient.
  const std::uint64_t pairs_per_example =
      std::uint64_t{2} * (config.candidates + config.noises) * tree.depth();
  estimate.workspace_bytes = view.size() * sizeof(std::uint32_t) +
                             static_cast<std::uint64_t>(pool.threads()) * config.batch *
                                 (pairs_per_example * layout.widest_stride() + view.dimension()) *
                                 sizeof(float);

  TrainState state = make_train_state(layout, config);
  Trainer trainer(view, tree, layout, config, state, pool);
  const auto begin = Clock::now();
  trainer.run_epoch([&] { return Clock::now() - begin < kTimedFor; });
  const std::chrono::duration<double> seconds = Clock::now() - begin;
  estimate.seconds = seconds.count() / static_cast<double>(state.next_batch) *
                     static_cast<double>(trainer.batches_per_epoch()) * config.epochs;
  return estimate;
}

}  // namespace cane
