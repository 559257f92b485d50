// What drives the batches of an epoch, on whatever device: the contract that a training relies on,
// and what does not depend on the device: the order of the examples, the learning rate of a batch,
// and the verdict that the loss has exploded.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "cane/config.h"
#include "data/rows/dataset_view.h"
#include "train/shuffle.h"
#include "train/train_state.h"

namespace cane {

class EpochTrainer {
 public:
  virtual ~EpochTrainer() = default;
  EpochTrainer(const EpochTrainer&) = delete;
  EpochTrainer& operator=(const EpochTrainer&) = delete;

  std::uint64_t batches_per_epoch() const;
  /// The learning rate at the next batch.
  float current_rate() const { return rate_of(state_.next_batch); }

  /// Runs the current epoch to its end and returns true. Returns false if `go_on`, which the
  /// calling thread evaluates after each batch it finishes, returned false. Throws Error if the
  /// loss diverges. The sums of the state may lag behind its position until it returns.
  virtual bool run_epoch(const std::function<bool()>& go_on) = 0;

  /// Brings the weights and optimisers of the state up to date, if they live elsewhere. To be
  /// called before these are read; position and sums of the state need no fetching.
  virtual void fetch_weights() = 0;

 protected:
  /// All arguments must outlive the trainer. `chance_loss`: loss of a blind guess. `window`: source
  /// of the rows, if not the data itself; may be null.
  EpochTrainer(const DatasetView& data, const TrainConfig& config, TrainState& state,
               double chance_loss, RowCopy* window);

  /// The examples of a batch of the current epoch.
  std::span<const std::uint32_t> batch(std::uint64_t index) const;
  float rate_of(std::uint64_t batch) const;
  /// Throws Error if the sums of the state show that training has diverged.
  void check_loss() const;

  const TrainConfig& config_;
  TrainState& state_;
  Shuffle shuffle_;

 private:
  double chance_loss_;
};

}  // namespace cane
