#include "train/device/device_executor.h"

#include <utility>

#include "device/open_device.h"
#include "train/device/learner_spec.h"
#include "train/device/row_feed.h"

namespace cane {
namespace {

// Batches that are queued before the host waits for their sums. They bound how late an interruption
// or a loss that explodes is noticed; waiting takes a few microseconds.
constexpr std::uint64_t kQueued = 32;

}  // namespace

DeviceExecutor::DeviceExecutor(const ModelData& model, const DatasetView& rows, Parts parts,
                               TrainState& state, ThreadPool& pool)
    : model_(model), rows_(rows), parts_(std::move(parts)), state_(state), pool_(pool) {
  device::on_device(parts_.option, [&] {
    move_tables([&](device::Table table, std::span<float> weights, std::span<float> sums) {
      parts_.learner->upload(table, weights, sums);
    });
    if (parts_.spec.kept_examples > 0) keep_rows(*parts_.learner, parts_.spec, rows, pool);
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
  device::StepOptions options = {.rate = trainer.rate_of(state_.next_batch)};
  is_fetched_ = false;
  device::on_device(parts_.option, [&] {
    const device::BatchBuffer buffer = parts_.learner->next_buffer();
    queued_.add(parts_.lists->fill(rows_, {state_.loop.epoch, state_.next_batch, examples}, buffer,
                                   options, pool_));
    fill_rows(parts_.spec, rows_, examples, buffer, pool_);
    parts_.learner->step(options);
  });
}

void DeviceExecutor::end_epoch(Trainer& trainer) {
  if (queued_.examples == 0) return;
  queued_.loss = device::on_device(parts_.option, [&] { return parts_.learner->take_loss(); });
  const StepStats stats = std::exchange(queued_, {});
  trainer.learned({&stats, 1});
}

void DeviceExecutor::fetch_weights() {
  if (is_fetched_) return;
  device::on_device(parts_.option, [&] {
    move_tables([&](device::Table table, std::span<float> weights, std::span<float> sums) {
      parts_.learner->download(table, weights, sums);
    });
  });
  is_fetched_ = true;
}

// Calls move(table of the learner, its weights, its sums) for each.
template <typename Move>
void DeviceExecutor::move_tables(const Move& move) {
  for (const device::Table table : {device::Table::kClasses, device::Table::kEncoder}) {
    if (table == device::Table::kEncoder && !parts_.spec.has_encoder()) continue;
    const std::size_t index = index_of(model_, table);
    move(table, state_.weights[index].span(), state_.optimizers[index]->state());
  }
}

}  // namespace cane
