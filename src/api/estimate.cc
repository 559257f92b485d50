#include <chrono>

#include "cane/train.h"
#include "core/base/thread_pool.h"
#include "data/loaded_data.h"
#include "engine/describe_model.h"
#include "engine/memory_estimate.h"
#include "engine/method.h"
#include "methods/check_config.h"
#include "train/start/start.h"
#include "train/trainer.h"
#include "tune/pilot.h"
#include "tune/pilot_settings.h"

namespace cane {
namespace {

constexpr std::chrono::milliseconds kTimedFor(1500);

}  // namespace

TrainEstimate estimate_training(const Dataset& data, const TrainConfig& asked) {
  using Clock = std::chrono::steady_clock;
  check_config(asked);
  const DatasetView& view = data.data().view;
  ThreadPool pool(asked.threads);
  TrainObserver silent;
  StartSource source(data, asked.seed);
  ModelData model = describe_model(source, asked, pool, silent);
  TrainEstimate estimate = estimate_memory(data.data(), model, pool.threads(), false);
  check_memory(estimate);
  const DataFacts facts = facts_of(view, static_cast<std::uint32_t>(data.classes()));
  for (const TrainConfig& setting : plan_pilot(asked, facts).settings) {
    estimate.pilot.push_back(setting_name(setting));
  }
  TrainState state = make_train_state(model.tables, model.config);
  start_routing(model, state);
  start_weights(source.means(), model, pool, state);
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
