#include "linear/encoders/mlp.h"

#include <algorithm>

namespace cane {

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

}  // namespace cane
