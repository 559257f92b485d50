// The one training loop: batch after batch of an epoch, gradients at the weights as they are, then
// the update. Two ways to use several threads:
// - shared: every thread takes batches of its own and all update the same weights without locks;
//   An online tree that changes its shape, or is to be deterministic, takes one thread only;
// - together: all threads work on one batch, first on slices of its examples, then on separate
//   blocks of weights, each block's updates in the order of the examples: the bits do not depend on
//   the threads. Deterministic training, and methods whose step is a matrix product.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cane/config.h"
#include "core/base/aligned_buffer.h"
#include "core/base/grouping.h"
#include "core/base/thread_pool.h"
#include "core/loop/epoch_loop.h"
#include "data/rows/dataset_view.h"
#include "linear/optimizers/block_optimizer.h"
#include "linear/weights/parameter_table.h"
#include "model/routing_state.h"
#include "search/selector.h"
#include "train/shuffle.h"
#include "train/steps/online_learner.h"
#include "train/steps/step_worker.h"

namespace cane {

using WeightTables = std::vector<AlignedBuffer<float>>;

/// Everything that changes while training runs, and all that a checkpoint must keep.
struct TrainState {
  WeightTables weights;
  std::vector<std::unique_ptr<BlockOptimizer>> optimizers;
  /// Of an online tree that learns its tree; otherwise null.
  std::shared_ptr<RoutingState> routing;
  /// What the learning rate is multiplied with, for each table.
  std::vector<float> rate_scales;
  bool further = false;  // of a model that was finished before, on other data
  LoopState loop;
  std::uint64_t next_batch = 0;  // of the epoch under way
  StepStats totals;              // of the epoch under way
};

/// The weights of the best epoch on the validation data; none without validation data, or if only
/// the last are wanted.
struct BestWeights {
  WeightTables weights;
  std::shared_ptr<const RoutingState> routing;  // null unless an online tree learns its tree
};

/// All weights zero. What an online tree learns beside them is not made here.
TrainState make_train_state(const std::vector<ParameterTable>& tables, const TrainConfig& config);

/// The optimiser of a table: that of the options for the classes, plain steps for a proposal. With
/// an encoder, whose outputs change their scale while it learns, that of the options for all. All
/// tables of an online tree but the scales of its features, which are the last, adapt their steps.
OptimizerKind optimizer_of(std::size_t table, const std::vector<ParameterTable>& tables,
                           const TrainConfig& config);

/// What the loop needs to know of a method.
struct TrainingParts {
  const std::vector<ParameterTable>* tables;
  std::uint32_t classes;
  double chance_loss;  // of a guess: an explosion is many times that
  std::function<std::unique_ptr<StepWorker>()> make_worker;
  OnlineLearner* online = nullptr;  // instead of slices: learns example by example
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
  ~Trainer();

  std::uint64_t batches_per_epoch() const;

  /// Runs the epoch under way to its end and returns true; returns false when `go_on`, which the
  /// calling thread asks after every batch of its own, said no. Throws Error when the loss
  /// explodes.
  bool run_epoch(const std::function<bool()>& go_on);

  /// The learning rate at the next batch.
  float current_rate() const;

 private:
  void run_batches(std::uint64_t end, const std::function<bool()>& go_on);
  void run_hogwild(std::uint64_t end, const std::function<bool()>& go_on);
  StepStats take_own_batch(std::uint64_t index, const CounterRandom& random, int worker);
  void run_synchronous(std::uint64_t end, const std::function<bool()>& go_on);
  StepStats learn_online(std::uint64_t index, const CounterRandom& random, int worker);
  void update_own(std::span<const TableGradient> gradients, float rate, int worker);
  void update_synchronous(std::size_t slices, float rate);
  void update_table(std::size_t place, std::size_t slices, float rate);
  void update_matrix(std::size_t slices, float rate);
  void apply(std::size_t table, NodeId node, std::span<const UpdateTask> tasks, float rate,
             std::vector<float>& scratch);
  void decay(std::size_t table, NodeId node, const UpdateTask& task, float rate,
             std::vector<float>& factors);
  bool decays(std::size_t table) const { return config_.l2 > 0.0F && table == kClassTable; }
  float* weights(std::size_t table) { return state_.weights[table].data(); }
  const BlockLayout& layout(std::size_t table) const { return (*parts_.tables)[table].layout; }
  std::span<const std::uint32_t> batch(std::uint64_t index) const;
  float rate_of(std::uint64_t batch) const;
  void check_loss() const;

  struct Worker {
    Grouping grouping;
    std::vector<UpdateTask> tasks;
    std::vector<float> scratch;
    std::unique_ptr<OnlineLearner::Scratch> online;  // of an online learner
  };
  struct Place {
    std::uint32_t slice;
    std::uint32_t part;
    NodeId node;
  };

  TrainingParts parts_;
  const TrainConfig& config_;
  TrainState& state_;
  ThreadPool& pool_;
  bool synchronous_;
  bool stopped_ = false;
  Shuffle shuffle_;
  // Shared: one a worker; together: one a part of a batch.
  std::vector<std::unique_ptr<StepWorker>> slices_;
  std::vector<Worker> workers_;
  std::vector<Place> places_;
};

}  // namespace cane
