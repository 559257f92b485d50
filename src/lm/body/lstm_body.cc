#include "lm/body/lstm_body.h"

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
    const auto add = [&](const char* name, const torch::Tensor& value) {
      return register_parameter(fmt::format("lstm{}_{}", layer, name), value);
    };
    LstmWeights weights;
    weights.input = add("input", uniform({gates, input}, range));
    weights.recurrent = add("recurrent", uniform({gates, options.width()}, range));
    // Forget gates start open.
    torch::Tensor bias = uniform({gates}, range);
    bias.slice(0, options.hidden, 2 * options.hidden) += 1.0;
    weights.bias = add("bias", bias);
    if (options.projection > 0) {
      weights.projection = add("projection", uniform({options.projection, options.hidden}, range));
    }
    layers_.push_back(weights);
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
  const torch::Tensor embedded = dropped(embed(inputs));
  const bool plain = embedded.is_cpu() && computing_ == torch::kFloat32;
  if (plain) return dropped(layer_by_layer(embedded, state, lstm_layer));
  if (lstm_folds(embedded.device(), embedded.size(1), options_.hidden, computing_)) {
    const auto folded = [&](const torch::Tensor& below, const LstmWeights& weights,
                            torch::Tensor& output, torch::Tensor& cell) {
      return folded_lstm(below, weights, output, cell, computing_);
    };
    return dropped(layer_by_layer(embedded, state, folded));
  }
  return dropped(all_layers(embedded, state));
}

template <typename Layer>
torch::Tensor LstmBody::layer_by_layer(torch::Tensor hidden, BodyState& state,
                                       const Layer& run_layer) const {
  std::vector<torch::Tensor> outputs;
  std::vector<torch::Tensor> cells;
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    if (layer > 0) hidden = dropped(hidden);
    outputs.push_back(state.output[static_cast<std::int64_t>(layer)]);
    cells.push_back(state.cell[static_cast<std::int64_t>(layer)]);
    hidden = run_layer(hidden, layers_[layer], outputs.back(), cells.back());
  }
  state = {torch::stack(outputs), torch::stack(cells)};
  return hidden;
}

torch::Tensor LstmBody::all_layers(const torch::Tensor& embedded, BodyState& state) const {
  std::vector<torch::Tensor> weights;
  for (const LstmWeights& layer : layers_) {
    const torch::Tensor bias = layer.bias.to(computing_);
    // cuDNN takes two biases; only one is learned.
    weights.insert(weights.end(), {layer.input.to(computing_), layer.recurrent.to(computing_), bias,
                                   torch::zeros_like(bias)});
    if (layer.projection.defined()) weights.push_back(layer.projection.to(computing_));
  }
  auto [output, last_output, last_cell] =
      at::lstm(embedded.to(computing_), {state.output.to(computing_), state.cell.to(computing_)},
               weights, true, options_.layers, options_.dropout, is_training(), false, false);
  state = {last_output.detach().to(torch::kFloat32), last_cell.detach().to(torch::kFloat32)};
  return output;
}

std::vector<RowGradient> LstmBody::take_row_gradients() {
  if (!looked_up_.defined() || !looked_up_.grad().defined()) return {};
  RowGradient gradient = {table_, looked_up_rows_, looked_up_.grad()};
  looked_up_.reset();
  return {gradient};
}

}  // namespace cane::lm
