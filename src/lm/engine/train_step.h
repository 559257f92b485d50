// One training step: forward, loss, backward, update. It changes only tensors on the device, at
// fixed addresses, and never waits for the device, so a step can be recorded and replayed.
#pragma once

#include <functional>
#include <memory>

#include "lm/engine/language_model.h"
#include "lm/engine/optimizer.h"
#include "lm/heads/output_layer.h"

namespace cane::lm {

/// A training step on a GPU, recorded once as a CUDA graph and then replayed: launching its many
/// small kernels one by one takes longer than running them. A step must change only tensors on the
/// device whose addresses stay fixed, and must not wait for the device.
class StepGraph {
 public:
  using Step = std::function<void(const TokenBatch&)>;

  /// If not `recordable`, every step is run directly.
  StepGraph(Step step, bool recordable);
  ~StepGraph();

  /// Runs the step. It is run directly, not replayed, on the CPU, for the first few batches, and
  /// for a batch whose size differs from the recorded one.
  void run(const TokenBatch& batch);

 private:
  class Recording;

  Step step_;
  bool recordable_;
  int direct_runs_ = 0;
  std::unique_ptr<Recording> recording_;
};

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
