// Everything that changes while training runs, and all that a checkpoint must keep.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cane/config.h"
#include "core/base/buffer.h"
#include "core/loop/epoch_loop.h"
#include "linear/optimizers/block_optimizer.h"
#include "linear/weights/parameter_table.h"
#include "model/routing_state.h"
#include "train/steps/step_worker.h"

namespace cane {

using WeightTables = std::vector<AlignedBuffer<float>>;

struct TrainState {
  WeightTables weights;
  std::vector<std::unique_ptr<BlockOptimizer>> optimizers;
  /// Null unless an online tree learns its tree.
  std::shared_ptr<RoutingState> routing;
  /// What the learning rate is multiplied with, for each table.
  std::vector<float> rate_scales;
  bool further = false;  // continues a model that was finished before, on other data
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

/// All weights zero. The routing of an online tree is not made here.
TrainState make_train_state(const std::vector<ParameterTable>& tables, const TrainConfig& config);

/// The optimiser of a table: that of the options for the classes, plain steps for a proposal. With
/// an encoder, whose outputs change their scale while it learns, that of the options for all. All
/// tables of an online tree but the scales of its features, which are the last, adapt their steps.
OptimizerKind optimizer_of(std::size_t table, const std::vector<ParameterTable>& tables,
                           const TrainConfig& config);

}  // namespace cane
