#include "engine/sharded_trainer.h"

#include "engine/method.h"

namespace cane {

ShardedTrainer::ShardedTrainer(const DatasetView& data, ShardedCheckpoint& run, ThreadPool& pool,
                               Communicator& ranks) {
  const TrainConfig& config = run.model.config;
  encoder_ = make_encoder(config, run.tables.common.tables, views_of(run.state.common.weights));
  if (wants_windows(data)) window_.emplace(data);
  const ClassStepParts parts = {
      .data = window_ ? &window_->view() : &data,
      .tables = &run.tables,
      .encoder = encoder_.get(),
      .rules = {.merge = {.method = config.method,
                          .candidates = config.candidates,
                          .noises = config.noises,
                          .clip = config.clip,
                          .least_step = encoder_ ? least_step(config) : 0.0F,
                          .seed = config.seed},
                .width = config.beam,
                .rank = config.rank},
      .l2 = config.l2};
  const double chance = row_of(config.method).chance_loss(run.tables.shards.classes());
  trainer_.emplace(data, parts, config, chance, window_ ? &*window_ : nullptr, run.state, pool,
                   ranks);
}

}  // namespace cane
