#include "lm/engine/step_graph.h"

#ifdef CANE_TORCH_CUDA
#include <ATen/cuda/CUDAGraph.h>
#endif

#include <utility>

namespace cane::lm {

#ifdef CANE_TORCH_CUDA

class StepGraph::Recording {
 public:
  Recording(const TokenBatch& first, const Step& step)
      : batch_{first.inputs.clone(), first.labels.clone()} {
    torch::cuda::synchronize();
    graph_.capture_begin();
    step(batch_);
    graph_.capture_end();
  }

  bool fits(const TokenBatch& batch) const { return batch.inputs.sizes() == batch_.inputs.sizes(); }

  void run(const TokenBatch& batch) {
    batch_.inputs.copy_(batch.inputs, /*non_blocking=*/true);
    batch_.labels.copy_(batch.labels, /*non_blocking=*/true);
    graph_.replay();
  }

 private:
  TokenBatch batch_;
  at::cuda::CUDAGraph graph_;
};

#else

class StepGraph::Recording {
 public:
  Recording(const TokenBatch&, const Step&) {}
  bool fits(const TokenBatch&) const { return false; }
  void run(const TokenBatch&) {}
};

#endif

StepGraph::StepGraph(Step step, bool recordable)
    : step_(std::move(step)), recordable_(recordable) {}
StepGraph::~StepGraph() = default;

void StepGraph::run(const TokenBatch& batch) {
  // Libraries initialise themselves in their first calls, which cannot be recorded.
  constexpr int kDirectRuns = 3;
  const bool records = recordable_ && batch.inputs.is_cuda() && direct_runs_ >= kDirectRuns;
  if (records && recording_ == nullptr) recording_ = std::make_unique<Recording>(batch, step_);
  if (records && recording_->fits(batch)) {
    recording_->run(batch);
    return;
  }
  ++direct_runs_;
  step_(batch);
}

}  // namespace cane::lm
