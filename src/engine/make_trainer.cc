#include "engine/make_trainer.h"

#include "engine/device_training.h"
#include "engine/method.h"
#include "methods/device.h"
#include "train/classes/class_executor.h"
#include "train/executors/executors.h"

namespace cane {
namespace {

std::unique_ptr<Trainer> make_class_trainer(const ModelData& model, const ShardTables& shards,
                                            const DatasetView& data, RowCopy* window,
                                            TrainState& state, const RunContext& context) {
  const TrainConfig& config = model.config;
  const std::shared_ptr<const Encoder> encoder =
      make_encoder(config, shards.tables, views_of(state.weights));
  const ClassParts parts = {.data = window != nullptr ? &window->view() : &data,
                            .tables = &shards,
                            .encoder = encoder.get(),
                            .rules = {.merge = {.method = config.method,
                                                .candidates = config.candidates,
                                                .noises = config.noises,
                                                .clip = config.clip,
                                                .least_step = encoder ? least_step(config) : 0.0F,
                                                .seed = config.seed},
                                      .width = config.beam,
                                      .rank = config.rank},
                            .l2 = config.l2};
  return std::make_unique<Trainer>(
      model, data, window, state, context.pool(),
      std::make_unique<ClassExecutor>(parts, state, context.pool(), context.ranks()), encoder);
}

}  // namespace

std::unique_ptr<Trainer> make_trainer(const ModelData& model, const DatasetView& data,
                                      RowCopy* window, TrainState& state, const RunContext& context,
                                      const ShardTables* shards) {
  if (shards != nullptr) {
    return make_class_trainer(model, *shards, data, window, state, context);
  }
  if (trains_on_device(model.config)) {
    return make_device_trainer(model, data, window, state, context);
  }
  state.fine_sums.clear();
  const auto method = std::make_shared<const TrainingMethod>(
      make_training_method(model, window != nullptr ? window->view() : data, state));
  return std::make_unique<Trainer>(
      model, data, window, state, context.pool(),
      make_executor(method->parts, model.config, data.size(), state, context), method);
}

}  // namespace cane
