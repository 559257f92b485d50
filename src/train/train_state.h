// Everything that changes during training, which is also what a checkpoint stores.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cane/config.h"
#include "core/base/buffer.h"
#include "core/loop/epoch_loop.h"
#include "linear/optimizers/block_optimizer.h"
#include "linear/weights/parameter_table.h"
#include "model/method_state.h"
#include "step/step_worker.h"
#include "step/whitening.h"

namespace cane {

using WeightTables = std::vector<AlignedBuffer<float>>;

struct TrainState {
  WeightTables weights;
  std::vector<std::unique_ptr<BlockOptimizer>> optimizers;
  /// What the method keeps besides weights; null: nothing.
  std::shared_ptr<MethodState> method_state;
  /// Factor on the learning rate of each table.
  std::vector<float> rate_scales;
  /// Where steps are whitened. It is measured on the data, and no part of a checkpoint.
  std::shared_ptr<const Whitening> whitening;
  bool further = false;  // continues a finished model on other data
  /// The weights that it began with, where classes of that model are to be kept; otherwise empty.
  WeightTables before;
  double accuracy_before = 0.0;  // of that model on these classes
  LoopState loop;
  std::uint64_t next_batch = 0;  // of the current epoch
  StepStats totals;              // of the current epoch
};

/// The weights of the best epoch on the validation data; empty without validation data, or if only
/// the last weights are wanted.
struct BestWeights {
  WeightTables weights;
  std::shared_ptr<const MethodState> method_state;  // as of the state
};

WeightTables copy_of(const WeightTables& tables);

/// Makes a state with all weights zero, and without what the method keeps besides.
TrainState make_train_state(const std::vector<ParameterTable>& tables, const TrainConfig& config);

/// Makes the optimiser of a table: the one in the options for the classes, plain SGD for a
/// proposal. With an encoder, whose outputs change scale during training, all tables use the one in
/// the options. Where features are scaled all tables are adaptive, except the last, which holds the
/// scales.
OptimizerKind optimizer_of(std::size_t table, const std::vector<ParameterTable>& tables,
                           const TrainConfig& config);

}  // namespace cane
