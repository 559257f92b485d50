#include "linear/scorers/flat_scorer.h"

#include <algorithm>
#include <limits>

#include "core/simd/matrix_product.h"

namespace cane {

void fill_inputs(std::span<const RowView> rows, FeatureId dimension, std::size_t pitch,
                 float* inputs) {
  std::fill_n(inputs, rows.size() * pitch, 0.0F);
  for (std::size_t e = 0; e < rows.size(); ++e) {
    float* input = inputs + e * pitch;
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
                                ScoringScratch& scratch, float* scores) const {
  if (layout_->is_row_major()) {
    for (std::size_t e = 0; e < rows.size(); ++e) {
      // The rows of the next example come from memory while the rows of this one are scored.
      if (e + 1 < rows.size()) weights_.prefetch_rows(*layout_, lists.of(e + 1));
      weights_.score_rows(*layout_, rows[e], lists.of(e), scores + lists.starts[e]);
    }
  } else {
    score_in_blocks(rows, lists, scratch, scores);
  }
  return lists.classes.size();
}

void FlatScorer::score_in_blocks(std::span<const RowView> rows, const ClassLists& lists,
                                 ScoringScratch& scratch, float* scores) const {
  const std::uint32_t width = layout_->widest_stride();
  scratch.scores.resize(width);
  for (std::size_t e = 0; e < rows.size(); ++e) {
    const auto classes = lists.of(e);
    const ScoreTask task = {rows[e], 0.0F, scratch.scores.data()};
    for (std::size_t i = 0; i < classes.size(); ++i) {
      const std::uint32_t block = classes[i] / width;
      weights_.score_block(*layout_, block, std::span(&task, 1));
      scores[lists.starts[e] + i] = scratch.scores[classes[i] % width];
    }
  }
}

void FlatScorer::score_all(std::span<const RowView> rows, ScoringScratch& scratch,
                           std::size_t pitch, float* scores) const {
  if (layout_->is_row_major()) {
    score_all_rows(rows, scratch, pitch, scores);
  } else {
    const std::uint32_t width = layout_->widest_stride();
    auto& tasks = scratch.paths.tasks;
    for (std::uint32_t block = 0; block < layout_->node_bound(); ++block) {
      tasks.clear();
      for (std::size_t e = 0; e < rows.size(); ++e) {
        tasks.push_back({rows[e], 0.0F, scores + e * pitch + std::size_t{block} * width});
      }
      weights_.score_block(*layout_, block, tasks);
    }
  }
  for (std::size_t e = 0; e < rows.size(); ++e) {
    std::fill(scores + e * pitch + classes_, scores + (e + 1) * pitch,
              -std::numeric_limits<float>::infinity());
  }
}

// Quantized weights are decoded a few classes at a time, once for all examples of a batch, into
// floats that stay in the cache.
void FlatScorer::score_all_rows(std::span<const RowView> rows, ScoringScratch& scratch,
                                std::size_t pitch, float* scores) const {
  constexpr std::size_t kTileFloats = std::size_t{1} << 16;
  const std::size_t row_pitch = layout_->pitch();
  scratch.inputs.resize(rows.size() * row_pitch);
  fill_inputs(rows, layout_->dimension(), row_pitch, scratch.inputs.data());
  const ConstMatrix inputs = {scratch.inputs.data(), row_pitch};
  if (!weights_.is_quantized()) {
    scores_of_rows(inputs, rows.size(), {weights_.floats(), row_pitch}, classes_, row_pitch,
                   {scores, pitch});
    return;
  }
  const auto tile = static_cast<std::uint32_t>(std::max<std::size_t>(kTileFloats / row_pitch, 8));
  scratch.decoded.assign(tile * row_pitch, 0.0F);
  for (std::uint32_t first = 0; first < classes_; first += tile) {
    const std::uint32_t count = std::min(tile, classes_ - first);
    for (std::uint32_t k = 0; k < count; ++k) {
      weights_.decode(*layout_, first + k, scratch.decoded.data() + k * row_pitch);
    }
    scores_of_rows(inputs, rows.size(), {scratch.decoded.data(), row_pitch}, count, row_pitch,
                   {scores + first, pitch});
  }
}

}  // namespace cane
