#include "train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "cane/error.h"
#include "methods/config_facts.h"

namespace cane {
namespace {

// Training has diverged if the mean loss exceeds this multiple of a blind guess's after this many
// batches or a whole epoch.
constexpr double kExplosionFactor = 1000.0;
constexpr std::uint64_t kBatchesBeforeVerdict = 50;

// `done` is the completed fraction of the training, in [0, 1).
float learning_rate(const TrainConfig& config, double done) {
  switch (config.schedule) {
    case Schedule::kConstant:
      return config.lr;
    case Schedule::kLinear:
      return config.lr * static_cast<float>(1.0 - done);
  }
  throw std::logic_error("the options name no schedule");
}

}  // namespace

Trainer::Trainer(const ModelData& model, const DatasetView& data, RowCopy* window,
                 TrainState& state, ThreadPool& pool, std::unique_ptr<Executor> executor,
                 std::shared_ptr<const void> used)
    : config_(model.config),
      state_(state),
      pool_(pool),
      shuffle_(data, {}, window, model.config.batch),
      chance_loss_(row_of(model.config.method)
                       .chance_loss(static_cast<std::uint32_t>(model.vocabulary.labels.size()))),
      used_(std::move(used)),
      executor_(std::move(executor)) {}

std::uint64_t Trainer::batches_per_epoch() const {
  return (shuffle_.size() + config_.batch - 1) / config_.batch;
}

bool Trainer::run_epoch(const std::function<bool()>& go_on) {
  shuffle_.start_epoch(config_.seed, state_.loop.epoch);
  executor_->begin_epoch(*this);
  const std::uint64_t batches = batches_per_epoch();
  bool goes_on = true;
  while (state_.next_batch < batches && goes_on) {
    const std::size_t position = state_.next_batch * config_.batch;
    shuffle_.enter_stretch(position, pool_);
    const std::uint64_t end = (shuffle_.stretch_end(position) + config_.batch - 1) / config_.batch;
    goes_on = executor_->run(*this, std::min(batches, end), go_on);
  }
  executor_->end_epoch(*this);
  return state_.next_batch == batches;
}

std::span<const std::uint32_t> Trainer::batch(std::uint64_t index) const {
  const std::size_t begin = index * config_.batch;
  return shuffle_.order().subspan(begin,
                                  std::min<std::size_t>(config_.batch, shuffle_.size() - begin));
}

float Trainer::rate_of(std::uint64_t batch) const {
  const double batches = static_cast<double>(batches_per_epoch());
  const double done =
      (static_cast<double>(state_.loop.epoch) * batches + static_cast<double>(batch)) /
      (static_cast<double>(config_.epochs) * batches);
  return learning_rate(config_, done);
}

CounterRandom Trainer::random() const {
  return {config_.seed, RandomPurpose::kNoise, state_.loop.epoch};
}

void Trainer::learned(std::span<const StepStats> stats) {
  for (const StepStats& each : stats) state_.totals.add(each);
  const double mean = state_.totals.loss / std::max(state_.totals.weight, 1e-30);
  const double limit = kExplosionFactor * chance_loss_;
  const std::uint64_t verdict_at =
      std::min<std::uint64_t>(kBatchesBeforeVerdict * config_.batch, shuffle_.size());
  if (std::isfinite(mean) && (mean <= limit || state_.totals.examples < verdict_at)) return;
  throw Error(
      fmt::format("the loss {} in epoch {} after {} examples; try a lower `lr` (it was {}), "
                  "`normalize l2`, or `clip 1`",
                  std::isfinite(mean) ? fmt::format("exploded (it is {:.3g})", mean)
                                      : std::string("is no longer a number"),
                  state_.loop.epoch + 1, state_.totals.examples, config_.lr));
}

}  // namespace cane
