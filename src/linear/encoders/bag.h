// An example is the sum of its features' embeddings, each times the feature's value: one layer and
// nothing behind it. Rows of length one (normalized by l2) keep that sum in bounds.
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
