#include "train/device/device_executor.h"

#include <utility>

#include "device/open_device.h"
#include "train/device/learner_tables.h"
#include "train/device/row_feed.h"

namespace cane {
namespace {

// Batches that are queued before the host waits for their sums. They bound how late an interruption
// or a loss that explodes is noticed; waiting takes a few microseconds.
constexpr std::uint64_t kQueued = 32;

}  // namespace

DeviceExecutor::DeviceExecutor(const ModelData& model, const DatasetView& rows, Feed feed,
                               TrainState& state, ThreadPool& pool,
                               std::unique_ptr<device::Learner> learner, std::string option)
    : model_(model),
      rows_(rows),
      feed_(feed),
      state_(state),
      pool_(pool),
      learner_(std::move(learner)),
      option_(std::move(option)) {
  device::on_device(option_, [&] {
    upload_state(*learner_, model, state, pool);
    if (feed == Feed::kKept) keep_rows(*learner_, rows, pool);
  });
}

bool DeviceExecutor::run(Trainer& trainer, std::uint64_t end, const std::function<bool()>& go_on) {
  bool goes_on = true;
  while (state_.next_batch < end && goes_on) {
    queue_batch(trainer);
    if (++state_.next_batch % kQueued == 0) end_epoch(trainer);
    goes_on = go_on();
  }
  return goes_on;
}

void DeviceExecutor::queue_batch(Trainer& trainer) {
  const auto examples = trainer.batch(state_.next_batch);
  const device::StepOptions options = {.rate = trainer.rate_of(state_.next_batch),
                                       .epoch = state_.loop.epoch};
  is_fetched_ = false;
  device::on_device(option_, [&] {
    if (feed_ == Feed::kKept) {
      learner_->step(examples, options);
      return;
    }
    fill_buffer(*learner_, rows_, examples, pool_);
    learner_->step_buffer(static_cast<std::uint32_t>(examples.size()), options);
  });
}

void DeviceExecutor::end_epoch(Trainer& trainer) {
  const device::LearnerStats sums =
      device::on_device(option_, [&] { return learner_->take_stats(); });
  if (sums.examples == 0) return;
  const StepStats stats = {.loss = sums.loss,
                           .weight = sums.weight,
                           .examples = sums.examples,
                           .covered = sums.covered,
                           .rows_scored = sums.rows_scored};
  trainer.learned({&stats, 1});
}

void DeviceExecutor::fetch_weights() {
  if (is_fetched_) return;
  device::on_device(option_, [&] { download_state(*learner_, model_, state_, pool_); });
  is_fetched_ = true;
}

}  // namespace cane
