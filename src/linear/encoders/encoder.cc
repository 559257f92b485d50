#include "linear/encoders/encoder.h"

#include <stdexcept>
#include <utility>

#include "linear/encoders/bag.h"
#include "linear/encoders/mlp.h"

namespace cane {

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
      return nullptr;
    case EncoderKind::kBag:
      return std::make_unique<BagEncoder>(std::move(layers), config.dim);
    case EncoderKind::kMlp:
      return std::make_unique<MlpEncoder>(std::move(layers), config.dim, config.dropout);
  }
  throw std::logic_error("an encoder without a class");
}

}  // namespace cane
