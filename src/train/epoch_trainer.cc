#include "train/epoch_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "cane/error.h"

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

EpochTrainer::EpochTrainer(const DatasetView& data, const TrainConfig& config, TrainState& state,
                           double chance_loss, RowCopy* window)
    : config_(config),
      state_(state),
      shuffle_(data, {}, window, config.batch),
      chance_loss_(chance_loss) {}

std::uint64_t EpochTrainer::batches_per_epoch() const {
  return (shuffle_.size() + config_.batch - 1) / config_.batch;
}

std::span<const std::uint32_t> EpochTrainer::batch(std::uint64_t index) const {
  const std::size_t begin = index * config_.batch;
  return shuffle_.order().subspan(begin,
                                  std::min<std::size_t>(config_.batch, shuffle_.size() - begin));
}

float EpochTrainer::rate_of(std::uint64_t batch) const {
  const double batches = static_cast<double>(batches_per_epoch());
  const double done =
      (static_cast<double>(state_.loop.epoch) * batches + static_cast<double>(batch)) /
      (static_cast<double>(config_.epochs) * batches);
  return learning_rate(config_, done);
}

void EpochTrainer::check_loss() const {
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
