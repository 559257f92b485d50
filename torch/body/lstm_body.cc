#include "torch/body/lstm_body.h"

#include <fmt/format.h>

#include <cmath>

namespace cane::lm {
namespace {

constexpr double kEmbeddingRange = 0.1;

torch::Tensor uniform(at::IntArrayRef shape, double range) {
  return torch::empty(shape).uniform_(-range, range);
}

}  // namespace

LstmBody::LstmBody(std::int64_t words, const BodyOptions& options, torch::ScalarType computing)
    : options_(options), computing_(computing) {
  if (!options.tied) {
    table_ = register_buffer("embedding", uniform({words, options.embedding}, kEmbeddingRange));
  }
  const double range = 1.0 / std::sqrt(static_cast<double>(options.hidden));
  const std::int64_t gates = 4 * options.hidden;
  for (std::int64_t layer = 0; layer < options.layers; ++layer) {
    const std::int64_t input = layer == 0 ? options.embedding : options.width();
    const auto add = [&](const char* name, torch::Tensor value) {
      weights_.push_back(register_parameter(fmt::format("lstm{}_{}", layer, name), value));
    };
    add("input", uniform({gates, input}, range));
    add("recurrent", uniform({gates, options.width()}, range));
    // cuDNN takes two biases; one that remembers at the start is enough to learn with.
    torch::Tensor bias = uniform({gates}, range);
    bias.slice(0, options.hidden, 2 * options.hidden) += 1.0;
    add("bias", bias);
    if (options.projection > 0)
      add("projection", uniform({options.projection, options.hidden}, range));
  }
}

BodyState LstmBody::initial_state(std::int64_t streams, torch::Device device) const {
  const auto zeros = [&](std::int64_t width) {
    return torch::zeros({options_.layers, streams, width}, torch::device(device));
  };
  return {zeros(options_.width()), zeros(options_.hidden)};
}

torch::Tensor LstmBody::embed(const torch::Tensor& inputs) {
  if (table_.requires_grad()) return torch::embedding(table_, inputs);
  looked_up_rows_ = inputs.reshape({-1});
  looked_up_ = table_.index_select(0, looked_up_rows_);
  if (is_training()) looked_up_.requires_grad_(true);
  return looked_up_.view({inputs.size(0), inputs.size(1), -1});
}

torch::Tensor LstmBody::dropped(const torch::Tensor& values) const {
  return torch::dropout(values, options_.dropout, is_training());
}

torch::Tensor LstmBody::forward(const torch::Tensor& inputs, BodyState& state) {
  torch::Tensor hidden = dropped(embed(inputs)).to(computing_);
  std::vector<torch::Tensor> cast;
  const std::size_t per_layer = options_.projection > 0 ? 4 : 3;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    cast.push_back(weights_[i].to(computing_));
    if (i % per_layer == 2) cast.push_back(torch::zeros_like(cast.back()));
  }
  auto [output, last_output, last_cell] =
      at::lstm(hidden, {state.output.to(computing_), state.cell.to(computing_)}, cast, true,
               options_.layers, options_.dropout, is_training(), false, false);
  state = {last_output.detach().to(torch::kFloat32), last_cell.detach().to(torch::kFloat32)};
  return dropped(output);
}

std::vector<RowGradient> LstmBody::take_row_gradients() {
  if (!looked_up_.defined() || !looked_up_.grad().defined()) return {};
  RowGradient gradient = {table_, looked_up_rows_, looked_up_.grad()};
  looked_up_.reset();
  return {gradient};
}

}  // namespace cane::lm
