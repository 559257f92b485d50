// Multilayer perceptron: one or more layers, each followed by ReLU. In training, a fraction of the
// units is dropped at random and the others are scaled up to compensate.
#pragma once

#include <utility>

#include "linear/encoders/encoder.h"

namespace cane {

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

}  // namespace cane
