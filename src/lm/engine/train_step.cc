#include "lm/engine/train_step.h"

#ifdef CANE_TORCH_CUDA
#include <ATen/cuda/CUDAGraph.h>
#endif

#include <iterator>
#include <utility>

namespace cane::lm {

TrainStep::TrainStep(LanguageModel& model, RowOptimizer& optimizer, std::int64_t streams)
    : model_(model),
      optimizer_(optimizer),
      state_(model.body().initial_state(streams, model.device())),
      step_(torch::zeros({}, torch::dtype(torch::kInt64).device(model.device()))),
      loss_(torch::zeros({}, torch::dtype(torch::kFloat64).device(model.device()))),
      graph_([this](const TokenBatch& batch) { compute(batch); }, model.head().is_recordable()) {}

void TrainStep::compute(const TokenBatch& batch) {
  BodyState state = state_;
  const torch::Tensor hidden = model_.body().forward(batch.inputs, state);
  const torch::Tensor loss = model_.head().loss(hidden, batch, step_);
  loss.backward();
  std::vector<RowGradient> rows = model_.body().take_row_gradients();
  std::vector<RowGradient> more = model_.head().take_row_gradients();
  rows.insert(rows.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
  optimizer_.update(std::move(rows), step_);
  const torch::NoGradGuard no_gradient;
  state_.output.copy_(state.output);
  state_.cell.copy_(state.cell);
  loss_.add_(loss.detach().to(torch::kFloat64), static_cast<double>(batch.labels.numel()));
  step_.add_(1);
}

void TrainStep::clear_state() {
  state_.output.zero_();
  state_.cell.zero_();
}

double TrainStep::take_loss() {
  const auto sum = loss_.item<double>();
  loss_.zero_();
  return sum;
}

std::map<std::string, torch::Tensor> TrainStep::tensors() const {
  return {{"state.output", state_.output},
          {"state.cell", state_.cell},
          {"step", step_},
          {"loss", loss_}};
}

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
