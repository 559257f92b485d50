#include "model/flat_scorer.h"

#include <algorithm>
#include <limits>

#include "kernels/matrix_product.h"
#include "kernels/row_kernels.h"

namespace cane {

void fill_inputs(std::span<const RowView> rows, FeatureId dimension, std::size_t pitch,
                 std::vector<float>& inputs) {
  inputs.assign(rows.size() * pitch, 0.0F);
  for (std::size_t e = 0; e < rows.size(); ++e) {
    float* input = inputs.data() + e * pitch;
    const RowView& row = rows[e];
    if (row.indices == nullptr) {
      std::copy_n(row.values, row.count, input);
    } else {
      for (std::uint32_t p = 0; p < row.count; ++p) input[row.indices[p]] = row.values[p];
    }
    input[dimension] = 1.0F;
  }
}

std::uint64_t FlatScorer::score(std::span<const RowView> rows, const ClassLists& lists,
                                Workspace& workspace, float* scores) const {
  if (layout_->is_rows()) {
    for (std::size_t e = 0; e < rows.size(); ++e) {
      score_rows(weights_, layout_->pitch(), layout_->dimension(), rows[e], lists.of(e),
                 scores + lists.starts[e]);
    }
  } else {
    score_in_blocks(rows, lists, workspace, scores);
  }
  return lists.classes.size();
}

void FlatScorer::score_in_blocks(std::span<const RowView> rows, const ClassLists& lists,
                                 Workspace& workspace, float* scores) const {
  const std::uint32_t width = layout_->widest_stride();
  workspace.scores.resize(width);
  for (std::size_t e = 0; e < rows.size(); ++e) {
    const auto classes = lists.of(e);
    const ScoreTask task = {rows[e], 0.0F, workspace.scores.data()};
    for (std::size_t i = 0; i < classes.size(); ++i) {
      const std::uint32_t block = classes[i] / width;
      score_block(weights_ + layout_->offset(block), layout_->shape(block), std::span(&task, 1));
      scores[lists.starts[e] + i] = workspace.scores[classes[i] % width];
    }
  }
}

void FlatScorer::score_all(std::span<const RowView> rows, Workspace& workspace, std::size_t pitch,
                           float* scores) const {
  if (layout_->is_rows()) {
    fill_inputs(rows, layout_->dimension(), layout_->pitch(), workspace.inputs);
    scores_of_rows({workspace.inputs.data(), layout_->pitch()}, rows.size(),
                   {weights_, layout_->pitch()}, classes_, layout_->pitch(), {scores, pitch});
  } else {
    const std::uint32_t width = layout_->widest_stride();
    auto& tasks = workspace.blocks.tasks;
    for (std::uint32_t block = 0; block < layout_->node_bound(); ++block) {
      tasks.clear();
      for (std::size_t e = 0; e < rows.size(); ++e) {
        tasks.push_back({rows[e], 0.0F, scores + e * pitch + std::size_t{block} * width});
      }
      score_block(weights_ + layout_->offset(block), layout_->shape(block), tasks);
    }
  }
  for (std::size_t e = 0; e < rows.size(); ++e) {
    std::fill(scores + e * pitch + classes_, scores + (e + 1) * pitch,
              -std::numeric_limits<float>::infinity());
  }
}

}  // namespace cane
