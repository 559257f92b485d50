// A training step on a GPU, recorded once as a CUDA graph and then replayed: launching its many
// small kernels one by one takes longer than running them. A step must change only tensors on the
// device whose addresses stay fixed, and must not wait for the device.
#pragma once

#include <functional>
#include <memory>

#include "lm/heads/output_layer.h"

namespace cane::lm {

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

}  // namespace cane::lm
