// The one training loop: batch after batch of an epoch, gradients at the weights as they are, then
// the update. Two ways to use several threads:
// - hogwild: every thread takes batches for itself and all update the same weights without locks.
//   An online tree that changes its shape, or is to be deterministic, takes one thread only;
// - synchronous: all threads work on one batch, first on slices of its examples, then on separate
//   blocks of weights: the bits do not depend on the threads. Deterministic training, and methods
//   whose step is a matrix product.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cane/config.h"
#include "core/base/thread_pool.h"
#include "data/rows/dataset_view.h"
#include "search/selector.h"
#include "train/hogwild_worker.h"
#include "train/shuffle.h"
#include "train/steps/online_learner.h"
#include "train/steps/step_worker.h"
#include "train/train_state.h"
#include "train/updater.h"

namespace cane {

/// What the loop needs to know of a method.
struct TrainingParts {
  const std::vector<ParameterTable>* tables;
  double chance_loss;  // of a guess: an explosion is many times that
  std::function<std::unique_ptr<StepWorker>()> make_worker;
  OnlineLearner* online = nullptr;  // instead of make_worker: learns example by example
  Selector* refreshed = nullptr;    // a selector that keeps a copy of the weights
  bool synchronous = false;         // all threads always work on one batch
  std::size_t worker_examples = 8;  // of a slice, where all threads work on one batch
  RowCopy* window = nullptr;        // where the method reads rows, if not from the data itself
};

class Trainer {
 public:
  /// All arguments must outlive the trainer; the state's weights must not move.
  Trainer(const DatasetView& data, const TrainingParts& parts, const TrainConfig& config,
          TrainState& state, ThreadPool& pool);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  std::uint64_t batches_per_epoch() const;

  /// Runs the epoch under way to its end and returns true; returns false when `go_on`, which the
  /// calling thread asks after every batch that it finished, said no. Throws Error when the loss
  /// explodes.
  bool run_epoch(const std::function<bool()>& go_on);

  /// The learning rate at the next batch.
  float current_rate() const { return rate_of(state_.next_batch); }

 private:
  void run_batches(std::uint64_t end, const std::function<bool()>& go_on);
  void run_hogwild(std::uint64_t end, const std::function<bool()>& go_on);
  void run_synchronous(std::uint64_t end, const std::function<bool()>& go_on);
  std::span<const std::uint32_t> batch(std::uint64_t index) const;
  float rate_of(std::uint64_t batch) const;
  void check_loss() const;

  TrainingParts parts_;
  const TrainConfig& config_;
  TrainState& state_;
  ThreadPool& pool_;
  bool synchronous_;
  bool stopped_ = false;
  Shuffle shuffle_;
  Updater updater_;
  std::vector<std::unique_ptr<HogwildWorker>> workers_;  // one a thread, if hogwild
  std::vector<std::unique_ptr<StepWorker>> slices_;      // one a part of a batch, if synchronous
};

}  // namespace cane
