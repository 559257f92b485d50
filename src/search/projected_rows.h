// The rows of a few examples as a proposal sees them: projected to a few dimensions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/row_view.h"
#include "linear/weights/weight_view.h"

namespace cane {

/// Projects the features to the inputs of p': one block with a column per dimension of the
/// projection, of which the first `rank` are used. The layout and the weights must outlive it.
/// Without a layout, the inputs of p' are the features themselves.
struct Projection {
  const BlockLayout* layout = nullptr;
  WeightView weights = {};
  std::uint32_t rank = 0;
};

class ProjectedRows {
 public:
  /// The result is valid until the next call; without a projection, it is `rows`.
  std::span<const RowView> project(const Projection& projection, std::span<const RowView> rows) {
    if (projection.layout == nullptr) return rows;
    const BlockShape shape = projection.layout->shape(0);
    inputs_.resize(rows.size() * shape.stride);
    views_.clear();
    tasks_.clear();
    for (std::size_t e = 0; e < rows.size(); ++e) {
      float* input = inputs_.data() + e * shape.stride;
      tasks_.push_back({rows[e], 0.0F, input});
      views_.push_back({nullptr, input, projection.rank});
    }
    projection.weights.score_block(*projection.layout, 0, tasks_);
    return views_;
  }

 private:
  std::vector<float> inputs_;   // projected features, one block row each
  std::vector<RowView> views_;  // of `inputs_`
  std::vector<ScoreTask> tasks_;
};

}  // namespace cane
