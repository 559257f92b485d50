#include "train/fit.h"

#include <algorithm>
#include <chrono>

namespace cane {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kProgressInterval(100);

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

class Fit {
 public:
  Fit(const TrainConfig& config, Trainer& trainer, TrainState& state, BestWeights& best,
      double seconds_before, const FitHooks& hooks)
      : config_(config),
        trainer_(&trainer),
        state_(state),
        best_(best),
        hooks_(hooks),
        seconds_before_(seconds_before) {}

  FitOutcome run() {
    FitOutcome outcome;
    batches_at_start_ = batches_done();
    while (state_.epoch < config_.epochs && !outcome.interrupted && !outcome.stopped_early) {
      const float rate = trainer_->current_rate();
      epoch_begin_ = Clock::now();
      const bool finished = trainer_->run_epoch([this] { return go_on(); });
      seconds_ += seconds_between(epoch_begin_, Clock::now());
      if (finished) {
        finish_epoch(rate);
        outcome.stopped_early = patience_is_over() && state_.epoch < config_.epochs;
        const bool is_over = outcome.stopped_early || state_.epoch == config_.epochs;
        if (hooks_.change_model && !is_over) trainer_ = hooks_.change_model();
      } else {
        outcome.interrupted = true;
      }
      if (hooks_.save_checkpoint) hooks_.save_checkpoint(seconds_before_ + seconds_);
      if (hooks_.observer->stop_requested() && state_.epoch < config_.epochs) {
        outcome.interrupted = true;
      }
    }
    return outcome;
  }

 private:
  bool go_on() {
    const auto now = Clock::now();
    if (now - last_progress_ >= kProgressInterval) {
      last_progress_ = now;
      report_progress(seconds_ + seconds_between(epoch_begin_, now));
    }
    return !hooks_.observer->stop_requested();
  }

  std::uint64_t batches_done() const {
    return state_.epoch * trainer_->batches_per_epoch() + state_.next_batch;
  }

  void report_progress(double seconds) {
    const std::uint64_t done = batches_done();
    const std::uint64_t total = config_.epochs * trainer_->batches_per_epoch();
    const double batches_per_second =
        static_cast<double>(done - batches_at_start_) / std::max(seconds, 1e-9);
    TrainProgress progress;
    progress.epoch = state_.epoch + 1;
    progress.epochs = config_.epochs;
    progress.examples_done = done * config_.batch;
    progress.examples_total = total * config_.batch;
    progress.loss = state_.totals.loss / std::max(state_.totals.weight, 1e-30);
    progress.examples_per_second = batches_per_second * config_.batch;
    progress.seconds_left = static_cast<double>(total - done) / std::max(batches_per_second, 1e-9);
    hooks_.observer->on_progress(progress);
  }

  void finish_epoch(float rate) {
    EpochReport report;
    report.epoch = state_.epoch + 1;
    report.loss = state_.totals.loss / std::max(state_.totals.weight, 1e-30);
    report.coverage = static_cast<double>(state_.totals.covered) /
                      static_cast<double>(std::max<std::uint64_t>(state_.totals.examples, 1));
    report.learning_rate = static_cast<double>(rate);
    report.seconds = seconds_before_ + seconds_;
    ++state_.epoch;
    state_.next_batch = 0;
    state_.totals = {};
    if (hooks_.validate) {
      report.validation = hooks_.validate();
      report.best = report.validation->accuracy > best_.accuracy;
      if (report.best) note_best(report.validation->accuracy);
    }
    hooks_.observer->on_epoch(report);
  }

  void note_best(double accuracy) {
    best_.accuracy = accuracy;
    best_.epoch = state_.epoch;
    if (!config_.keep_best) return;
    for (std::size_t table = 0; table < state_.weights.size(); ++table) {
      const auto weights = state_.weights[table].span();
      if (best_.weights.size() == table) best_.weights.emplace_back(weights.size());
      std::copy(weights.begin(), weights.end(), best_.weights[table].data());
    }
    if (state_.routing) best_.routing = std::make_shared<const RoutingState>(*state_.routing);
  }

  bool patience_is_over() const {
    return hooks_.validate && config_.patience > 0 &&
           state_.epoch - best_.epoch >= config_.patience;
  }

  const TrainConfig& config_;
  Trainer* trainer_;
  TrainState& state_;
  BestWeights& best_;
  const FitHooks& hooks_;
  double seconds_before_;
  double seconds_ = 0.0;
  std::uint64_t batches_at_start_ = 0;
  Clock::time_point epoch_begin_;
  Clock::time_point last_progress_ = Clock::now();
};

}  // namespace

FitOutcome fit(const TrainConfig& config, Trainer& trainer, TrainState& state, BestWeights& best,
               double seconds_before, const FitHooks& hooks) {
  return Fit(config, trainer, state, best, seconds_before, hooks).run();
}

}  // namespace cane
