// The training loop of ranks that share the classes: they work on the same batches in the same
// order, and each knows the weights of its own classes only. It is always synchronous: results are
// the same bits for any number of ranks and threads.
#pragma once

#include <functional>

#include "core/base/thread_pool.h"
#include "core/parallel/communicator.h"
#include "data/rows/row_copy.h"
#include "train/classes/class_step.h"
#include "train/epoch_trainer.h"

namespace cane {

class ClassTrainer final : public EpochTrainer {
 public:
  /// `data` may be a view of a window, of which the trainer then decides what is in it. All
  /// arguments, and what the parts point to, must outlive the trainer; the weights of the state
  /// must not move.
  ClassTrainer(const DatasetView& data, const ClassStepParts& parts, const TrainConfig& config,
               double chance_loss, RowCopy* window, ShardedState& state, ThreadPool& pool,
               Communicator& ranks);

  /// After `go_on` has returned false on some rank, all of them learn one batch more, the same one,
  /// and stop.
  bool run_epoch(const std::function<bool()>& go_on) override;
  void fetch_weights() override {}

 private:
  ThreadPool& pool_;
  ClassStep step_;
};

}  // namespace cane
