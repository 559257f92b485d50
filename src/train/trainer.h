// The training loop of the processor: for each batch of an epoch, compute gradients at the current
// weights, then update. There are two ways to use several threads:
// - hogwild: every thread takes its own batches and all update the same weights without locks. An
//   online tree that changes its shape, or must be deterministic, uses one thread only;
// - synchronous: all threads work on one batch, first on slices of its examples, then on disjoint
//   blocks of weights, so results are bit-identical for any number of threads. Used for
//   deterministic training. A softmax by matrix products is always trained so, each thread its own
//   classes (softmax_team.h).
// Both go on over several ranks: synchronous ones share the slices of a batch (slice_exchange.h),
// the others take batches of their own and exchange what they change (weight_exchange.h). A softmax
// by matrix products that must be deterministic is computed by every rank for itself.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cane/config.h"
#include "core/base/thread_pool.h"
#include "core/parallel/communicator.h"
#include "data/rows/dataset_view.h"
#include "search/selector.h"
#include "train/epoch_trainer.h"
#include "train/hogwild_worker.h"
#include "train/parallel/exchange_interval.h"
#include "train/parallel/slice_exchange.h"
#include "train/parallel/weight_exchange.h"
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
  RowCopy* window = nullptr;      // source of the rows, if not the data itself
  Communicator* ranks = nullptr;  // that train together, with the same data; null: this one alone
};

class Trainer : public EpochTrainer {
 public:
  /// All arguments must outlive the trainer; the state's weights must not move.
  Trainer(const DatasetView& data, const TrainingParts& parts, const TrainConfig& config,
          TrainState& state, ThreadPool& pool);

  bool run_epoch(const std::function<bool()>& go_on) override;
  void fetch_weights() override {}

 private:
  void run_batches(std::uint64_t end, const std::function<bool()>& go_on);
  void run_hogwild(std::uint64_t end, const std::function<bool()>& go_on);
  void run_synchronous(std::uint64_t end, const std::function<bool()>& go_on);
  void run_softmax(std::uint64_t end, const std::function<bool()>& go_on);
  void run_softmax_alike(std::uint64_t end, const std::function<bool()>& go_on);
  void run_exchanging(std::uint64_t end, const std::function<bool()>& go_on);
  void run_part(std::uint64_t end, const std::function<bool()>& go_on);
  void take_notes(std::span<const WeightExchange::Note> notes);
  void settle();
  std::size_t examples_at_once() const;
  bool has_ranks() const { return parts_.ranks != nullptr && !parts_.ranks->is_alone(); }

  TrainingParts parts_;
  ThreadPool& pool_;
  bool stopped_ = false;
  std::size_t slice_examples_ = 0;  // if synchronous
  Updater updater_;
  std::unique_ptr<SoftmaxTeam> softmax_;                 // if classes are trained by products
  std::vector<std::unique_ptr<HogwildWorker>> workers_;  // one per thread, if hogwild
  std::vector<std::unique_ptr<StepWorker>> slices_;      // one per slice of a batch, if synchronous
  std::unique_ptr<SliceExchange> shared_slices_;         // if ranks share them
  std::unique_ptr<WeightExchange> exchange_;             // if ranks take batches of their own
  ExchangeInterval interval_;
  WeightExchange::Note note_;
  StepStats settled_;  // totals of the epoch that the ranks have added up
};

}  // namespace cane
