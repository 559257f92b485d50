#include "train/start/feature_scales.h"

#include <algorithm>
#include <cmath>

namespace cane {

std::vector<float> feature_scales(const DatasetView& data) {
  std::vector<float> scales(data.dimension(), 0.0F);
  std::vector<float> scratch(data.is_dense() ? data.dimension() : 0);
  for (std::size_t example = 0; example < data.size(); ++example) {
    const RowView row = data.row(example, scratch);
    for (std::uint32_t p = 0; p < row.count; ++p) {
      float& scale = scales[row.indices == nullptr ? p : row.indices[p]];
      scale = std::max(scale, std::abs(row.values[p]));
    }
  }
  for (float& scale : scales) {
    // A value so small that its inverse overflows is treated as absent.
    const float inverse = 1.0F / scale;
    scale = std::isfinite(inverse) ? inverse : 0.0F;
  }
  return scales;
}

}  // namespace cane
