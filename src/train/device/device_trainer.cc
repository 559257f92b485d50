#include "train/device/device_trainer.h"

#include <utility>

#include "device/open_device.h"
#include "methods/config_facts.h"
#include "train/device/learner_tables.h"
#include "train/device/row_feed.h"

namespace cane {
namespace {

// Batches that are queued before the host waits for their sums. They bound how late an interruption
// or a loss that explodes is noticed; waiting takes a few microseconds.
constexpr std::uint64_t kQueued = 32;

double chance_loss(const ModelData& model) {
  const auto classes = static_cast<std::uint32_t>(model.vocabulary.labels.size());
  return row_of(model.config.method).chance_loss(classes);
}

}  // namespace

DeviceTrainer::DeviceTrainer(const ModelData& model, const DatasetView& data, RowCopy* window,
                             Feed feed, TrainState& state, ThreadPool& pool,
                             std::unique_ptr<device::Learner> learner, std::string option)
    : EpochTrainer(data, model.config, state, chance_loss(model),
                   feed == Feed::kStreamed ? window : nullptr),
      model_(model),
      rows_(window != nullptr ? window->view() : data),
      feed_(feed),
      pool_(pool),
      learner_(std::move(learner)),
      option_(std::move(option)) {
  device::on_device(option_, [&] {
    upload_state(*learner_, model, state, pool);
    if (feed == Feed::kKept) keep_rows(*learner_, data, pool);
  });
}

bool DeviceTrainer::run_epoch(const std::function<bool()>& go_on) {
  shuffle_.start_epoch(config_.seed, state_.loop.epoch);
  stretch_end_ = 0;
  const std::uint64_t batches = batches_per_epoch();
  bool goes_on = true;
  while (state_.next_batch < batches && goes_on) {
    queue_batch();
    if (++state_.next_batch % kQueued == 0) take_sums();
    goes_on = go_on();
  }
  take_sums();
  return state_.next_batch == batches;
}

void DeviceTrainer::queue_batch() {
  const auto examples = batch(state_.next_batch);
  const device::StepOptions options = {.rate = rate_of(state_.next_batch),
                                       .epoch = state_.loop.epoch};
  is_fetched_ = false;
  device::on_device(option_, [&] {
    if (feed_ == Feed::kKept) {
      learner_->step(examples, options);
      return;
    }
    const std::size_t position = state_.next_batch * config_.batch;
    if (position >= stretch_end_) {
      shuffle_.enter_stretch(position, pool_);
      stretch_end_ = shuffle_.stretch_end(position);
    }
    fill_buffer(*learner_, rows_, examples, pool_);
    learner_->step_buffer(static_cast<std::uint32_t>(examples.size()), options);
  });
}

void DeviceTrainer::take_sums() {
  const device::LearnerStats sums =
      device::on_device(option_, [&] { return learner_->take_stats(); });
  state_.totals.add({.loss = sums.loss,
                     .weight = sums.weight,
                     .examples = sums.examples,
                     .covered = sums.covered,
                     .rows_scored = sums.rows_scored});
  if (sums.examples > 0) check_loss();
}

void DeviceTrainer::fetch_weights() {
  if (is_fetched_) return;
  device::on_device(option_, [&] { download_state(*learner_, model_, state_, pool_); });
  is_fetched_ = true;
}

}  // namespace cane
