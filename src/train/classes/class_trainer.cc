#include "train/classes/class_trainer.h"

namespace cane {

ClassTrainer::ClassTrainer(const DatasetView& data, const ClassStepParts& parts,
                           const TrainConfig& config, double chance_loss, RowCopy* window,
                           ShardedState& state, ThreadPool& pool, Communicator& ranks)
    : EpochTrainer(data, config, state.common, chance_loss, window),
      pool_(pool),
      step_(parts, state, pool, ranks) {}

bool ClassTrainer::run_epoch(const std::function<bool()>& go_on) {
  shuffle_.start_epoch(config_.seed, state_.loop.epoch);
  const CounterRandom random(config_.seed, RandomPurpose::kNoise, state_.loop.epoch);
  const std::uint64_t batches = batches_per_epoch();
  bool stops = false;
  bool wishes_to_stop = false;
  std::size_t stretch_end = 0;  // nothing has been entered
  while (state_.next_batch < batches && !stops) {
    const std::size_t position = state_.next_batch * config_.batch;
    if (position >= stretch_end) {
      shuffle_.enter_stretch(position, pool_);
      stretch_end = shuffle_.stretch_end(position);
    }
    const ClassStep::Learned learned =
        step_.learn(batch(state_.next_batch), rate_of(state_.next_batch), random, wishes_to_stop);
    state_.totals.add(learned.stats);
    check_loss();
    ++state_.next_batch;
    stops = learned.stops;
    wishes_to_stop = !go_on() || wishes_to_stop;
  }
  return state_.next_batch == batches;
}

}  // namespace cane
