// The loop over epochs that every training runs in: progress, validation, the best epoch, patience,
// interruption and checkpoints. What is trained, and how, is an Engine; what the loop itself has to
// remember from one run to the next is a LoopState, which the engine keeps in its checkpoints.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace cane {

/// Whether a larger or a smaller result of validation is the better one.
enum class Goal { kMaximize, kMinimize };

struct LoopState {
  std::uint32_t epoch = 0;  // finished epochs
  std::uint32_t best_epoch = 0;
  std::optional<double> best_score;  // of validation; none before the first one
  double seconds = 0.0;              // of training, without validation, over all runs
};

struct LoopOptions {
  std::uint32_t epochs = 1;
  std::uint32_t patience = 0;  // epochs without a better one after which it stops; 0: never
  Goal goal = Goal::kMaximize;
};

/// How far the loop is. A step is whatever the engine counts.
struct LoopProgress {
  std::uint32_t epoch = 0;  // counted from 1
  std::uint32_t epochs = 0;
  std::uint64_t steps_done = 0;  // over all epochs
  std::uint64_t steps_total = 0;
  double steps_per_second = 0.0;  // of this run
  double seconds_left = 0.0;
};

/// All calls come from the thread that called EpochLoop::run.
class Engine {
 public:
  virtual ~Engine() = default;

  /// The same for every epoch.
  virtual std::uint64_t steps_per_epoch() const = 0;
  /// In the epoch under way.
  virtual std::uint64_t steps_done() const = 0;

  /// Runs the epoch under way to its end and returns true; returns false when `go_on`, to be asked
  /// after every step of the calling thread, said no.
  virtual bool run_epoch(const std::function<bool()>& go_on) = 0;

  /// Measures the weights of the epoch just finished; none without validation data: then every
  /// epoch is the best so far.
  virtual std::optional<double> validate() = 0;
  /// The weights as they are now are the best so far.
  virtual void keep_best() = 0;
  /// Reports the epoch, which the loop's state already counts, and begins the figures of the next.
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
  /// Engine and state must outlive the loop. A state of an earlier run is gone on from.
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
  double seconds_before_;  // this run
  std::uint64_t steps_before_;
  Clock::time_point epoch_begin_;
  Clock::time_point last_progress_;
};

}  // namespace cane
