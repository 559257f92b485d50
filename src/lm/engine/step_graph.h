// A step of training on a GPU, recorded once as a CUDA graph and replayed from then on: launching
// its many small kernels one by one takes longer than running them. A step must change nothing but
// tensors on the device that stay where they are, and must not wait for it.
#pragma once

#include <functional>
#include <memory>

#include "lm/heads/output_layer.h"

namespace cane::lm {

class StepGraph {
 public:
  using Step = std::function<void(const TokenBatch&)>;

  /// `recordable`: or else every step runs as it is.
  StepGraph(Step step, bool recordable);
  ~StepGraph();

  /// Runs the step: as it is on the CPU, for the first few batches, and for a batch of another size
  /// than that which was recorded.
  void run(const TokenBatch& batch);

 private:
  class Recording;

  Step step_;
  bool recordable_;
  int direct_runs_ = 0;
  std::unique_ptr<Recording> recording_;
};

}  // namespace cane::lm
