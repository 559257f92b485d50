#include "engine/make_trainer.h"

#include <utility>

#include "engine/device_training.h"
#include "engine/method.h"
#include "methods/device.h"
#include "train/trainer.h"

namespace cane {
namespace {

struct OwnedMethod {
  TrainingMethod method;
};

// The loop with the parts that it uses, which are made before it and live as long.
class MethodTrainer : private OwnedMethod, public Trainer {
 public:
  MethodTrainer(const DatasetView& data, TrainingMethod parts, const TrainConfig& config,
                TrainState& state, ThreadPool& pool)
      : OwnedMethod{std::move(parts)}, Trainer(data, method.parts, config, state, pool) {}
};

}  // namespace

std::unique_ptr<EpochTrainer> make_trainer(const ModelData& model, const DatasetView& data,
                                           RowCopy* window, TrainState& state,
                                           const RunContext& context) {
  if (trains_on_device(model.config)) {
    return make_device_trainer(model, data, window, state, context);
  }
  state.fine_sums.clear();
  TrainingMethod method =
      make_training_method(model, window != nullptr ? window->view() : data, state);
  method.parts.window = window;
  method.parts.ranks = &context.ranks();
  return std::make_unique<MethodTrainer>(data, std::move(method), model.config, state,
                                         context.pool());
}

}  // namespace cane
