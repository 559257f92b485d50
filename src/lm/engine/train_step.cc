#include "lm/engine/train_step.h"

#include <iterator>

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
  std::vector<layer::RowGradient> rows = model_.body().take_row_gradients();
  std::vector<layer::RowGradient> more = model_.head().take_row_gradients();
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

}  // namespace cane::lm
