#include "engine/make_trainer.h"

#include "engine/device_training.h"
#include "engine/method.h"
#include "methods/device.h"
#include "train/executors/executors.h"

namespace cane {

std::unique_ptr<Trainer> make_trainer(const ModelData& model, const DatasetView& data,
                                      RowCopy* window, TrainState& state, const RunContext& context,
                                      const ShardTables* shards) {
  if (trains_on_device(model.config)) {
    return make_device_trainer(model, data, window, state, context);
  }
  const auto method = std::make_shared<const TrainingMethod>(make_training_method(
      model, window != nullptr ? window->view() : data, state, shards, &context.ranks()));
  return std::make_unique<Trainer>(
      model, data, window, state, context.pool(),
      make_executor(method->parts, model.config, data.size(), state, context), method);
}

}  // namespace cane
