#include "linear/encoders/encoder.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace cane {
namespace {

// Multilayer perceptron: one or more layers, each followed by ReLU. In training, a fraction of the
// units is dropped at random and the others are scaled up to compensate.
class MlpEncoder final : public Encoder {
 public:
  /// `dropout`: fraction of units dropped.
  MlpEncoder(std::vector<Layer> layers, std::uint32_t dim, float dropout)
      : Encoder(std::move(layers), dim), dropout_(dropout) {}

  std::span<const RowView> encode(std::span<const RowView> rows, Workspace& workspace,
                                  const Dropout* dropout = nullptr) const override;
  void back(const float* steps, std::size_t pitch, Workspace& workspace,
            std::span<GradientParts> gradients) const override;

 private:
  void rectify(std::size_t layer, const Dropout* dropout, LayerOutput& output) const;

  float dropout_;
};

std::span<const RowView> MlpEncoder::encode(std::span<const RowView> rows, Workspace& workspace,
                                            const Dropout* dropout) const {
  std::span<const RowView> inputs = rows;
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    LayerOutput& output = apply_layer(layer, inputs, workspace);
    rectify(layer, dropout, output);
    inputs = output.rows;
  }
  return inputs;
}

void MlpEncoder::rectify(std::size_t layer, const Dropout* dropout, LayerOutput& output) const {
  for (float& value : output.values) value = std::max(value, 0.0F);
  if (dropout == nullptr || dropout_ == 0.0F) return;
  const float kept = 1.0F / (1.0F - dropout_);
  const auto first_draw = static_cast<std::uint32_t>(layer * dim_);
  const std::size_t stride = layers_[layer].layout->shape(0).stride;
  for (std::size_t e = 0; e < output.rows.size(); ++e) {
    float* values = output.values.data() + e * stride;
    for (std::uint32_t c = 0; c < dim_; ++c) {
      const bool left_out = dropout->random.uniform(dropout->examples[e], first_draw + c) <
                            static_cast<double>(dropout_);
      values[c] *= left_out ? 0.0F : kept;
    }
  }
}

void MlpEncoder::back(const float* steps, std::size_t pitch, Workspace& workspace,
                      std::span<GradientParts> gradients) const {
  const std::size_t last = layers_.size() - 1;
  const std::size_t rows = workspace.layers[last].rows.size();
  // Dropout scales up the units it keeps, and so their gradients; where a unit is zero, because of
  // ReLU or dropout, its gradient is zero.
  const float kept = 1.0F / (1.0F - dropout_);
  for (std::size_t layer = layers_.size(); layer-- > 0;) {
    LayerOutput& output = workspace.layers[layer];
    const BlockShape shape = layers_[layer].layout->shape(0);
    workspace.back_tasks.clear();
    if (layer > 0) workspace.layers[layer - 1].steps.assign(rows * dim_, 0.0F);
    for (std::uint32_t e = 0; e < rows; ++e) {
      const float* from = layer == last ? steps + e * pitch : output.steps.data() + e * dim_;
      float* to = gradients[layer].add_part(e, 0);
      const float* values = output.values.data() + e * shape.stride;
      for (std::uint32_t c = 0; c < dim_; ++c) to[c] = from[c] * (values[c] > 0.0F ? kept : 0.0F);
    }
    if (layer == 0) return;
    for (std::uint32_t e = 0; e < rows; ++e) {
      workspace.back_tasks.push_back(
          {gradients[layer].steps(e), workspace.layers[layer - 1].steps.data() + e * dim_});
    }
    back_block(layers_[layer].weights.floats(), shape, workspace.back_tasks);
  }
}

// Bag of features: an example is the sum of its features' embeddings, each times the feature's
// value, which is a single layer without activation. Rows of length one (l2 normalisation) keep
// that sum bounded.
class BagEncoder final : public Encoder {
 public:
  using Encoder::Encoder;

  std::span<const RowView> encode(std::span<const RowView> rows, Workspace& workspace,
                                  const Dropout* /*dropout*/ = nullptr) const override {
    return apply_layer(0, rows, workspace).rows;
  }

  void back(const float* steps, std::size_t pitch, Workspace& workspace,
            std::span<GradientParts> gradients) const override {
    const std::size_t rows = workspace.layers[0].rows.size();
    for (std::uint32_t e = 0; e < rows; ++e) {
      std::copy_n(steps + e * pitch, dim_, gradients[0].add_part(e, 0));
    }
  }
};

}  // namespace

Encoder::LayerOutput& Encoder::apply_layer(std::size_t layer, std::span<const RowView> inputs,
                                           Workspace& workspace) const {
  workspace.layers.resize(layers_.size());
  LayerOutput& output = workspace.layers[layer];
  const BlockShape shape = layers_[layer].layout->shape(0);
  output.values.resize(inputs.size() * shape.stride);
  output.rows.clear();
  workspace.tasks.clear();
  for (std::size_t e = 0; e < inputs.size(); ++e) {
    float* values = output.values.data() + e * shape.stride;
    workspace.tasks.push_back({inputs[e], 0.0F, values});
    output.rows.push_back({nullptr, values, dim_});
  }
  layers_[layer].weights.score_block(*layers_[layer].layout, 0, workspace.tasks);
  return output;
}

std::unique_ptr<Encoder> make_encoder(const TrainConfig& config,
                                      const std::vector<ParameterTable>& tables,
                                      const WeightViews& weights) {
  std::vector<Encoder::Layer> layers;
  for (std::size_t table = tables.size() - encoder_layers(config); table < tables.size(); ++table) {
    layers.push_back({&tables[table].layout, weights[table]});
  }
  switch (config.encoder) {
    case EncoderKind::kIdentity:
    case EncoderKind::kAuto:
      return nullptr;
    case EncoderKind::kBag:
      return std::make_unique<BagEncoder>(std::move(layers), config.dim);
    case EncoderKind::kMlp:
      return std::make_unique<MlpEncoder>(std::move(layers), config.dim, config.dropout);
  }
  throw std::logic_error("an encoder without a class");
}

}  // namespace cane
