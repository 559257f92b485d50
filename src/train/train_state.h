// Everything that changes during training, which is also what a checkpoint stores.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
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
  /// AdaGrad's sums of each weight, of the tables where a device keeps these and the optimiser one
  /// sum for all columns of a block; empty otherwise. A training on the processor drops them.
  std::vector<std::vector<float>> fine_sums;
  /// Null unless an online tree learns its structure.
  std::shared_ptr<RoutingState> routing;
  /// Factor on the learning rate of each table.
  std::vector<float> rate_scales;
  bool further = false;  // continues a finished model on other data
  LoopState loop;
  std::uint64_t next_batch = 0;  // of the current epoch
  StepStats totals;              // of the current epoch
};

/// The weights of the best epoch on the validation data; empty without validation data, or if only
/// the last weights are wanted.
struct BestWeights {
  WeightTables weights;
  std::shared_ptr<const RoutingState> routing;  // null unless an online tree learns its structure
};

/// Makes a state with all weights zero. Does not create the routing of an online tree.
TrainState make_train_state(const std::vector<ParameterTable>& tables, const TrainConfig& config);

/// Weights of a training, or what an optimiser remembers about them.
struct ChangingArray {
  std::span<float> values;
  /// Others need not know of smaller changes, as a part of the largest value beside it.
  float least_change = 0.0F;
};
/// All that steps change: the weights of each table, then the state of each optimiser.
std::vector<ChangingArray> changing_arrays(TrainState& state, const TrainConfig& config);

/// Makes the optimiser of a table: the one in the options for the classes, plain SGD for a
/// proposal. With an encoder, whose outputs change scale during training, all tables use the one in
/// the options. In an online tree all tables are adaptive, except the last, which holds the feature
/// scales.
OptimizerKind optimizer_of(std::size_t table, const std::vector<ParameterTable>& tables,
                           const TrainConfig& config);

}  // namespace cane
