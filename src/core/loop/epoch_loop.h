// The epoch loop shared by all training: progress, validation, best epoch, patience, interruption
// and checkpoints. An Engine defines what is trained and how; a LoopState holds what the loop
// itself must remember between runs, and the engine stores it in its checkpoints.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace cane {

/// Whether larger or smaller validation scores are better.
enum class Goal { kMaximize, kMinimize };

struct LoopState {
  std::uint32_t epoch = 0;  // finished epochs
  std::uint32_t best_epoch = 0;
  std::optional<double> best_score;  // best validation score; empty before the first validation
  double seconds = 0.0;              // training time over all runs, excluding validation
};

struct LoopOptions {
  std::uint32_t epochs = 1;
  std::uint32_t patience = 0;  // stop after this many epochs without improvement; 0: never
  Goal goal = Goal::kMaximize;
};

/// Progress of the loop. The unit of a step is defined by the engine.
struct LoopProgress {
  std::uint32_t epoch = 0;  // counted from 1
  std::uint32_t epochs = 0;
  std::uint64_t steps_done = 0;  // over all epochs
  std::uint64_t steps_total = 0;
  double steps_per_second = 0.0;  // in this run
  double seconds_left = 0.0;
};

/// All calls come from the thread that called EpochLoop::run.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Number of steps, the same for every epoch.
  virtual std::uint64_t steps_per_epoch() const = 0;
  /// Number of steps done in the current epoch.
  virtual std::uint64_t steps_done() const = 0;

  /// Runs the current epoch to its end and returns true. Returns false if `go_on`, which must be
  /// called after every step of the calling thread, returned false.
  virtual bool run_epoch(const std::function<bool()>& go_on) = 0;

  /// Evaluates the weights of the epoch just finished. Empty without validation data: then every
  /// epoch counts as the best so far.
  virtual std::optional<double> validate() = 0;
  /// Called when the current weights are the best so far.
  virtual void keep_best() = 0;
  /// Reports the epoch, which the loop's state already counts, and resets the statistics for the
  /// next.
  virtual void finish_epoch(bool is_best) = 0;
  /// Called between two epochs; may change the model.
  virtual void prepare_next_epoch() {}
  /// Called after every epoch, and when training is interrupted within one.
  virtual void save_checkpoint() = 0;

  virtual void report_progress(const LoopProgress& progress) = 0;
  virtual bool stop_requested() = 0;
};

enum class LoopEnd { kDone, kStoppedEarly, kInterrupted };

class EpochLoop {
 public:
  /// Engine and state must outlive the loop. A state from an earlier run is continued.
  EpochLoop(const LoopOptions& options, Engine& engine, LoopState& state);

  LoopEnd run();

 private:
  using Clock = std::chrono::steady_clock;

  bool go_on();
  void finish_epoch();
  bool is_better(double score) const;
  bool is_patience_over() const;
  std::uint64_t steps_done() const;
  void report_progress(double seconds);

  LoopOptions options_;
  Engine& engine_;
  LoopState& state_;
  double seconds_before_;  // at the start of this run
  std::uint64_t steps_before_;
  Clock::time_point epoch_begin_;
  Clock::time_point last_progress_;
};

}  // namespace cane
