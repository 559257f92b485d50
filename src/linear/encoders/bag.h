// Bag of features: an example is the sum of its features' embeddings, each times the feature's
// value, which is a single layer without activation. Rows of length one (l2 normalisation) keep
// that sum bounded.
#pragma once

#include <algorithm>

#include "linear/encoders/encoder.h"

namespace cane {

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

}  // namespace cane
