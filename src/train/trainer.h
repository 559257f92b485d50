// The loop over the batches of an epoch, wherever these are computed: the order of the examples,
// the learning rate of a batch, and the verdict that the loss has exploded. An executor computes
// the batches: on the threads of the processor (train/executors) or on a device (train/device).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/base/random.h"
#include "core/base/thread_pool.h"
#include "data/rows/row_copy.h"
#include "model/model_data.h"
#include "train/shuffle.h"
#include "train/train_state.h"

namespace cane {

class Trainer;

class Executor {
 public:
  virtual ~Executor() = default;

  virtual void begin_epoch(Trainer& /*trainer*/) {}
  /// Computes the batches from the next one of the state to `end`, and counts each there
  /// (Trainer::learned). Returns true at `end`, or false soon after `go_on`, which the calling
  /// thread evaluates after each batch that it finishes, returned false.
  virtual bool run(Trainer& trainer, std::uint64_t end, const std::function<bool()>& go_on) = 0;
  /// Brings the sums of the state up to date, if they lag behind its position.
  virtual void end_epoch(Trainer& /*trainer*/) {}
  /// Brings the weights and optimisers of the state up to date, if they live elsewhere.
  virtual void fetch_weights() {}
};

class Trainer {
 public:
  /// `window`: source of the rows, if not the data itself; may be null. `used` is what the executor
  /// points to, and lives as long. All other arguments must outlive the trainer; the weights of the
  /// state must not move.
  Trainer(const ModelData& model, const DatasetView& data, RowCopy* window, TrainState& state,
          ThreadPool& pool, std::unique_ptr<Executor> executor,
          std::shared_ptr<const void> used = nullptr);

  std::uint64_t batches_per_epoch() const;
  /// The learning rate at the next batch.
  float current_rate() const { return rate_of(state_.next_batch); }

  /// Runs the current epoch to its end and returns true. Returns false if `go_on`, which the
  /// calling thread evaluates after each batch it finishes, returned false. Throws Error if the
  /// loss diverges. The sums of the state may lag behind its position until it returns.
  bool run_epoch(const std::function<bool()>& go_on);
  /// To be called before weights and optimisers of the state are read; its position and sums need
  /// no fetching.
  void fetch_weights() { executor_->fetch_weights(); }

  // For executors.

  TrainState& state() { return state_; }
  ThreadPool& pool() { return pool_; }
  /// The examples of a batch of the current epoch.
  std::span<const std::uint32_t> batch(std::uint64_t index) const;
  float rate_of(std::uint64_t batch) const;
  /// The generator of the noises of the current epoch.
  CounterRandom random() const;
  /// Adds to the sums of the epoch. Throws Error if these show that training has diverged.
  void learned(std::span<const StepStats> stats);

 private:
  const TrainConfig& config_;
  TrainState& state_;
  ThreadPool& pool_;
  Shuffle shuffle_;
  double chance_loss_;  // of a blind guess
  std::shared_ptr<const void> used_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace cane
