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
  double seconds = 0.0;  // training time over all runs, with checkpoints, without validation
};

struct LoopOptions {
  std::uint32_t epochs = 1;
  std::uint32_t patience = 0;  // stop after this many epochs without improvement; 0: never
  Goal goal = Goal::kMaximize;
  double checkpoint_seconds = 0.0;  // least time between two checkpoints; 0: one after every epoch
};

/// Whether a checkpoint is due at the end of an epoch, `seconds` after the one before or the begin,
/// if writing it takes `cost` seconds: not before `every` seconds, or fifty times the cost. Only
/// the cost counts for the first one, so that there is something to resume from, and for the last:
/// the model is about to be saved, which may fail.
bool is_checkpoint_due(double seconds, double cost, double every, bool is_first_or_last);

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
  /// Called after an epoch when a checkpoint is due, and when training is interrupted. `goes_on`:
  /// training continues, so that it may be written meanwhile.
  virtual void save_checkpoint(bool goes_on) = 0;
  /// Seconds that it takes to write one.
  virtual double checkpoint_cost() const { return 0.0; }

  virtual void report_progress(const LoopProgress& progress) = 0;
  virtual bool stop_requested() = 0;
  /// Whether this holds on any of the ranks that train together, each of which runs a loop of its
  /// own and must decide the same.
  virtual bool any_rank(bool here) { return here; }
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
  bool is_checkpoint_due(bool is_last) const;
  void save_checkpoint(bool goes_on);
  std::uint64_t steps_done() const;
  void report_progress(double seconds);

  LoopOptions options_;
  Engine& engine_;
  LoopState& state_;
  double seconds_before_;  // at the start of this run
  std::uint64_t steps_before_;
  Clock::time_point epoch_begin_;
  Clock::time_point last_progress_;
  Clock::time_point last_checkpoint_;  // or the begin of this run
  bool has_checkpoint_ = false;        // of this run
};

}  // namespace cane
