// The training loop: for each batch of an epoch, compute gradients at the current weights, then
// update. There are two ways to use several threads:
// - hogwild: every thread takes its own batches and all update the same weights without locks. An
//   online tree that changes its shape, or must be deterministic, uses one thread only;
// - synchronous: all threads work on one batch, first on slices of its examples, then on disjoint
//   blocks of weights, so results are bit-identical for any number of threads. Used for
//   deterministic training. A softmax by matrix products is always trained so, each thread its own
//   classes (softmax_team.h).
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
#include "train/softmax_team.h"
#include "train/steps/online_learner.h"
#include "train/steps/step_worker.h"
#include "train/train_state.h"
#include "train/updater.h"

namespace cane {

/// The parts of a method that the loop uses.
struct TrainingParts {
  const std::vector<ParameterTable>* tables;
  double chance_loss;  // loss of a blind guess, to detect divergence
  std::function<std::unique_ptr<StepWorker>()> make_worker;
  OnlineLearner* online = nullptr;  // replaces make_worker: trains example by example
  Selector* refreshed = nullptr;    // a selector that keeps a copy of the weights
  /// Replaces make_worker: the rows over which all classes are trained by matrix products.
  const DatasetView* softmax_rows = nullptr;
  RowCopy* window = nullptr;  // source of the rows, if not the data itself
};

class Trainer {
 public:
  /// All arguments must outlive the trainer; the state's weights must not move.
  Trainer(const DatasetView& data, const TrainingParts& parts, const TrainConfig& config,
          TrainState& state, ThreadPool& pool);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  std::uint64_t batches_per_epoch() const;

  /// Runs the current epoch to its end and returns true. Returns false if `go_on`, which the
  /// calling thread evaluates after each batch it finishes, returned false. Throws Error if the
  /// loss diverges.
  bool run_epoch(const std::function<bool()>& go_on);

  /// The learning rate at the next batch.
  float current_rate() const { return rate_of(state_.next_batch); }

 private:
  void run_batches(std::uint64_t end, const std::function<bool()>& go_on);
  void run_hogwild(std::uint64_t end, const std::function<bool()>& go_on);
  void run_synchronous(std::uint64_t end, const std::function<bool()>& go_on);
  void run_softmax(std::uint64_t end, const std::function<bool()>& go_on);
  std::span<const std::uint32_t> batch(std::uint64_t index) const;
  std::size_t examples_at_once() const;
  float rate_of(std::uint64_t batch) const;
  void check_loss() const;

  TrainingParts parts_;
  const TrainConfig& config_;
  TrainState& state_;
  ThreadPool& pool_;
  bool stopped_ = false;
  Shuffle shuffle_;
  Updater updater_;
  std::unique_ptr<SoftmaxTeam> softmax_;                 // if classes are trained by products
  std::vector<std::unique_ptr<HogwildWorker>> workers_;  // one per thread, if hogwild
  std::vector<std::unique_ptr<StepWorker>> slices_;      // one per slice of a batch, if synchronous
};

}  // namespace cane
