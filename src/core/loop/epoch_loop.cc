#include "core/loop/epoch_loop.h"

#include <algorithm>

namespace cane {
namespace {

constexpr std::chrono::milliseconds kProgressInterval(100);

double seconds_between(std::chrono::steady_clock::time_point begin,
                       std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

bool is_checkpoint_due(double seconds, double cost, double every, bool is_first_or_last) {
  constexpr double kWorth = 50.0;
  if (every <= 0.0) return true;
  return seconds >= std::max(is_first_or_last ? 0.0 : every, kWorth * cost);
}

EpochLoop::EpochLoop(const LoopOptions& options, Engine& engine, LoopState& state)
    : options_(options),
      engine_(engine),
      state_(state),
      seconds_before_(state.seconds),
      steps_before_(steps_done()),
      last_progress_(Clock::now()),
      last_checkpoint_(last_progress_) {}

LoopEnd EpochLoop::run() {
  while (state_.epoch < options_.epochs) {
    epoch_begin_ = Clock::now();
    const bool is_finished = engine_.run_epoch([this] { return go_on(); });
    state_.seconds += seconds_between(epoch_begin_, Clock::now());
    if (is_finished) finish_epoch();
    const bool is_last = state_.epoch == options_.epochs;
    const bool stops_early = is_finished && !is_last && is_patience_over();
    const bool is_interrupted =
        !is_finished || (!is_last && engine_.any_rank(engine_.stop_requested()));
    const bool is_end = is_last || stops_early;
    if (is_interrupted || engine_.any_rank(is_checkpoint_due(is_end)))
      save_checkpoint(!is_interrupted && !is_end);
    if (is_interrupted) return LoopEnd::kInterrupted;
    if (stops_early) return LoopEnd::kStoppedEarly;
  }
  return LoopEnd::kDone;
}

bool EpochLoop::go_on() {
  const auto now = Clock::now();
  if (now - last_progress_ >= kProgressInterval) {
    last_progress_ = now;
    report_progress(state_.seconds - seconds_before_ + seconds_between(epoch_begin_, now));
  }
  return !engine_.stop_requested();
}

void EpochLoop::finish_epoch() {
  ++state_.epoch;
  const std::optional<double> score = engine_.validate();
  const bool is_best = !score || is_better(*score);
  if (is_best) {
    state_.best_epoch = state_.epoch;
    state_.best_score = score;
    engine_.keep_best();
  }
  engine_.finish_epoch(is_best);
}

bool EpochLoop::is_better(double score) const {
  if (!state_.best_score) return true;
  return options_.goal == Goal::kMaximize ? score > *state_.best_score : score < *state_.best_score;
}

bool EpochLoop::is_patience_over() const {
  return options_.patience > 0 && state_.epoch - state_.best_epoch >= options_.patience;
}

bool EpochLoop::is_checkpoint_due(bool is_last) const {
  return cane::is_checkpoint_due(seconds_between(last_checkpoint_, Clock::now()),
                                 engine_.checkpoint_cost(), options_.checkpoint_seconds,
                                 is_last || !has_checkpoint_);
}

void EpochLoop::save_checkpoint(bool goes_on) {
  const auto begin = Clock::now();
  engine_.save_checkpoint(goes_on);
  last_checkpoint_ = Clock::now();
  has_checkpoint_ = true;
  state_.seconds += seconds_between(begin, last_checkpoint_);
}

std::uint64_t EpochLoop::steps_done() const {
  return state_.epoch * engine_.steps_per_epoch() + engine_.steps_done();
}

void EpochLoop::report_progress(double seconds) {
  LoopProgress progress;
  progress.epoch = state_.epoch + 1;
  progress.epochs = options_.epochs;
  progress.steps_done = steps_done();
  progress.steps_total = options_.epochs * engine_.steps_per_epoch();
  progress.steps_per_second =
      static_cast<double>(progress.steps_done - steps_before_) / std::max(seconds, 1e-9);
  progress.seconds_left = static_cast<double>(progress.steps_total - progress.steps_done) /
                          std::max(progress.steps_per_second, 1e-9);
  engine_.report_progress(progress);
}

}  // namespace cane
