// One training step: forward, loss, backward, update. It changes only tensors on the device, at
// fixed addresses, and never waits for the device, so a step can be recorded and replayed.
#pragma once

#include "lm/engine/language_model.h"
#include "lm/engine/optimizer.h"
#include "lm/engine/step_graph.h"

namespace cane::lm {

class TrainStep {
 public:
  TrainStep(LanguageModel& model, RowOptimizer& optimizer, std::int64_t streams);
  TrainStep(const TrainStep&) = delete;
  TrainStep& operator=(const TrainStep&) = delete;

  void run(const TokenBatch& batch) { graph_.run(batch); }
  /// Resets the state for the beginning of the text.
  void clear_state();

  /// The sum of the losses of all tokens since the last call. Waits for the device.
  double take_loss();

  /// The tensors of the state, for checkpoints, which read and write them.
  std::map<std::string, torch::Tensor> tensors() const;

 private:
  void compute(const TokenBatch& batch);

  LanguageModel& model_;
  RowOptimizer& optimizer_;
  BodyState state_;
  torch::Tensor step_;
  torch::Tensor loss_;
  StepGraph graph_;
};

}  // namespace cane::lm
