#include <fmt/format.h>

#include "cane/train.h"
#include "core/base/stopwatch.h"
#include "core/base/thread_pool.h"
#include "core/loop/epoch_loop.h"
#include "data/loaded_data.h"
#include "engine/describe_model.h"
#include "engine/device_training.h"
#include "engine/make_trainer.h"
#include "engine/memory_estimate.h"
#include "engine/start_source.h"
#include "methods/check_config.h"
#include "methods/device.h"
#include "train/checkpoint/checkpoint.h"
#include "train/start/start.h"
#include "tune/pilot.h"

namespace cane {
namespace {

constexpr double kTimedFor = 1.5;  // seconds of batches

// As the epoch loop decides, if each takes its time from training.
void estimate_checkpoints(const TrainConfig& config, std::uint64_t bytes, TrainEstimate& estimate) {
  if (config.checkpoint_path.empty()) return;
  estimate.checkpoint_bytes = bytes;
  estimate.checkpoint_seconds = estimated_write_seconds(bytes);
  const double epoch_seconds = estimate.seconds / config.epochs;
  double since = 0.0;
  for (std::uint32_t epoch = 1; epoch <= config.epochs; ++epoch) {
    since += epoch_seconds;
    if (!is_checkpoint_due(since, estimate.checkpoint_seconds, config.checkpoint_every,
                           estimate.checkpoints == 0 || epoch == config.epochs)) {
      continue;
    }
    ++estimate.checkpoints;
    // Nobody waits for the last one.
    if (epoch < config.epochs) estimate.copy_bytes = CheckpointWriter::copy_bytes(bytes);
    estimate.seconds += estimate.checkpoint_seconds;
    since = 0.0;
  }
}

}  // namespace

TrainEstimate estimate_training(const Dataset& data, const TrainConfig& asked,
                                const Dataset* validation) {
  check_config(asked);
  const DatasetView& view = data.data().view;
  ThreadPool pool(asked.threads);
  const RunContext context(pool);
  StartSource source(data, asked.seed);
  ModelData model = describe_model(source, asked, context);
  TrainEstimate estimate = estimate_memory(data.data(), model, pool.threads(),
                                           validation != nullptr ? &validation->data() : nullptr);
  check_memory(estimate);
  const DataFacts facts = facts_of(view, static_cast<std::uint32_t>(data.classes()));
  const std::size_t pilot = pilot_classes(asked, facts);
  if (pilot > 0) estimate.pilot = fmt::format("rates and starts of {}", setting_name(model.config));
  estimate.pilot_bytes = estimate_pilot(data.data(), model, estimate, pilot, pool.threads());
  if (trains_on_device(model.config)) {
    estimate.device = estimate_device(model, view);
    if (!estimate.device->problem.empty()) return estimate;
  }
  // A few batches on scratch weights.
  TrainState state = make_train_state(model.tables, model.config);
  start_method_state(model, state);
  start_weights(source.means(), model, pool, state);
  const auto trainer = make_trainer(model, view, nullptr, state, context);
  const Stopwatch watch;
  trainer->run_epoch([&] { return watch.seconds() < kTimedFor; });
  estimate.seconds = watch.seconds() / static_cast<double>(state.next_batch) *
                     static_cast<double>(trainer->batches_per_epoch()) * model.config.epochs;
  TrainConfig config = model.config;
  config.checkpoint_path = asked.checkpoint_path;
  config.checkpoint_every = asked.checkpoint_every;
  const bool keeps_best = validation != nullptr && config.keep_best;
  estimate_checkpoints(config, checkpoint_bytes(model, state, keeps_best), estimate);
  return estimate;
}

}  // namespace cane
