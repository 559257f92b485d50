#include "engine/rehearsal.h"

#include <algorithm>
#include <cmath>

#include "core/base/stopwatch.h"
#include "data/loaded_data.h"
#include "engine/describe_model.h"
#include "engine/make_trainer.h"
#include "train/start/start.h"

namespace cane {
namespace {

constexpr double kTimedFor = 1.5;  // seconds

}  // namespace

Rehearsal::Rehearsal(const Dataset& data, const TrainConfig& asked, ThreadPool& pool)
    : data_(data),
      pool_(pool),
      source_(data, asked.seed),
      model_(describe_model(source_, asked, pool, silent_)) {}

void Rehearsal::begin() {
  state_ = make_train_state(model_.tables, model_.config);
  start_routing(model_, state_);
  start_weights(source_.means(), model_, pool_, state_);
  trainer_ = make_trainer(model_, data_.data().view, nullptr, state_, pool_, silent_);
}

std::uint64_t Rehearsal::run(std::uint64_t batches, double part) {
  const std::uint64_t all = trainer_->batches_per_epoch();
  const std::uint64_t count = std::min(batches, all);
  const double epochs = part * model_.config.epochs;
  const double in_epoch = epochs - std::floor(epochs);
  const std::uint64_t first =
      std::min(all - count, static_cast<std::uint64_t>(in_epoch * static_cast<double>(all)));
  state_.loop.epoch = static_cast<std::uint32_t>(epochs);
  state_.next_batch = first;
  trainer_->run_epoch([&] { return state_.next_batch - first < count; });
  return state_.next_batch - first;
}

double Rehearsal::seconds_per_batch() {
  state_.next_batch = 0;
  const Stopwatch watch;
  trainer_->run_epoch([&] { return watch.seconds() < kTimedFor; });
  return watch.seconds() / static_cast<double>(state_.next_batch);
}

}  // namespace cane
