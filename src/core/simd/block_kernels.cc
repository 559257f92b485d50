#include "core/simd/block_kernels.h"

#include <cmath>

#include "core/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/simd/block_kernels.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "core/simd/panel-inl.h"
#include "core/simd/row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cane {
namespace HWY_NAMESPACE {

// A block of stride 1 is a row. Dense examples are processed four at a time: weights are loaded
// once.
HWY_INLINE void score_row(const float* weights, FeatureId dimension,
                          std::span<const ScoreTask> tasks) {
  const float* const row[1] = {weights};
  for (; begins_dense(tasks, kDotGroup); tasks = tasks.subspan(kDotGroup)) {
    const float* values[kDotGroup];
    for (std::size_t t = 0; t < kDotGroup; ++t) values[t] = tasks[t].row.values;
    float totals[kDotGroup];
    dense_dots<kDotGroup>(weights, values, tasks[0].row.count, totals);
    for (std::size_t t = 0; t < kDotGroup; ++t) {
      tasks[t].scores[0] = tasks[t].base + (totals[t] + weights[dimension]);
    }
  }
  for (const ScoreTask& task : tasks) {
    float score[1];
    score_weights<1>(row, dimension, task.row, task.base, score);
    task.scores[0] = score[0];
  }
}

HWY_INLINE void update_row(float* weights, FeatureId dimension, float rate,
                           std::span<const UpdateTask> tasks) {
  constexpr std::size_t kGroup = 4;
  for (; begins_dense(tasks, kGroup); tasks = tasks.subspan(kGroup)) {
    const float* values[kGroup];
    float steps[kGroup];
    for (std::size_t t = 0; t < kGroup; ++t) {
      values[t] = tasks[t].row.values;
      steps[t] = rate * tasks[t].steps[0];
    }
    add_dense<kGroup>(weights, tasks[0].row.count, values, steps);
    for (std::size_t t = 0; t < kGroup; ++t) {
      add_product(tasks[t].bias, steps[t], weights + dimension);
    }
  }
  for (const UpdateTask& task : tasks) {
    const float step = rate * task.steps[0];
    add_row(weights, task.row, step);
    add_product(task.bias, step, weights + dimension);
  }
}

HWY_INLINE void scale_row(float* weights, FeatureId dimension, const RowView& row, float factor) {
  for (std::size_t p = 0; p < row.count; ++p) {
    weights[row.indices == nullptr ? p : row.indices[p]] *= factor;
  }
  weights[dimension] *= factor;
}

void score_block_on_target(const float* block, BlockShape shape, std::span<const ScoreTask> tasks) {
  if (shape.stride == 1) return score_row(block, shape.dimension, tasks);
  const BlockSource<float, ScaledBy::kNothing> source = {
      block, block + std::size_t{shape.dimension} * shape.stride, nullptr};
  for_each_panel(shape.stride, [&](auto panel, std::uint32_t column)
                                   HWY_ATTR { panel.score(source, shape, column, tasks); });
}

void update_block_on_target(float* block, BlockShape shape, float rate,
                            std::span<const UpdateTask> tasks) {
  if (shape.stride == 1) return update_row(block, shape.dimension, rate, tasks);
  for_each_panel(shape.stride, [&](auto panel, std::uint32_t column)
                                   HWY_ATTR { panel.update(block, shape, column, rate, tasks); });
}

void adagrad_scale_on_target(const RowView& row, float g2, float* sums, float* scaled) {
  // Keeps 0 / sqrt(0) at zero, and is far below any significant square.
  constexpr float kTiny = 1e-20F;
  std::size_t p = 0;
  if (row.indices == nullptr) {
    const hn::ScalableTag<float> tag;
    const std::size_t lanes = hn::Lanes(tag);
    for (; p + lanes <= row.count; p += lanes) {
      const auto x = hn::LoadU(tag, row.values + p);
      const auto sum = hn::MulAdd(hn::Mul(x, x), hn::Set(tag, g2), hn::LoadU(tag, sums + p));
      hn::StoreU(sum, tag, sums + p);
      hn::StoreU(hn::Div(x, hn::Sqrt(hn::Add(sum, hn::Set(tag, kTiny)))), tag, scaled + p);
    }
  }
  for (; p < row.count; ++p) {
    float& sum = sums[row.indices == nullptr ? p : row.indices[p]];
    const float x = row.values[p];
    sum += x * x * g2;
    scaled[p] = x / std::sqrt(sum + kTiny);
  }
}

void scale_block_on_target(float* block, BlockShape shape, const RowView& row,
                           const float* factors) {
  if (shape.stride == 1) return scale_row(block, shape.dimension, row, factors[0]);
  for_each_panel(shape.stride, [&](auto panel, std::uint32_t column)
                                   HWY_ATTR { panel.scale(block, shape, column, row, factors); });
}

void back_block_on_target(const float* block, BlockShape shape, std::span<const BackTask> tasks) {
  const std::size_t stride = shape.stride;
  for (const BackTask& task : tasks) {
    if (stride == 1) {
      add_dense<1>(task.inputs, shape.dimension, {block}, {task.steps[0]});
      continue;
    }
    std::size_t i = 0;
    for (; i + kDotGroup <= shape.dimension; i += kDotGroup) {
      const float* first = block + i * stride;
      float totals[kDotGroup];
      dense_dots<kDotGroup>(task.steps,
                            {first, first + stride, first + 2 * stride, first + 3 * stride}, stride,
                            totals);
      for (std::size_t r = 0; r < kDotGroup; ++r) task.inputs[i + r] += totals[r];
    }
    for (; i < shape.dimension; ++i) {
      float total[1];
      dense_dots<1>(task.steps, {block + i * stride}, stride, total);
      task.inputs[i] += total[0];
    }
  }
}

const char* target_name() {
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace HWY_NAMESPACE
}  // namespace cane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cane {

HWY_EXPORT(score_block_on_target);
HWY_EXPORT(update_block_on_target);
HWY_EXPORT(adagrad_scale_on_target);
HWY_EXPORT(scale_block_on_target);
HWY_EXPORT(back_block_on_target);
HWY_EXPORT(target_name);

void score_block(const float* block, BlockShape shape, std::span<const ScoreTask> tasks) {
  HWY_DYNAMIC_DISPATCH(score_block_on_target)(block, shape, tasks);
}

void update_block(float* block, BlockShape shape, float rate, std::span<const UpdateTask> tasks) {
  HWY_DYNAMIC_DISPATCH(update_block_on_target)(block, shape, rate, tasks);
}

void adagrad_scale(const RowView& row, float g2, float* sums, float* scaled) {
  HWY_DYNAMIC_DISPATCH(adagrad_scale_on_target)(row, g2, sums, scaled);
}

void scale_block(float* block, BlockShape shape, const RowView& row, const float* factors) {
  HWY_DYNAMIC_DISPATCH(scale_block_on_target)(block, shape, row, factors);
}

void back_block(const float* block, BlockShape shape, std::span<const BackTask> tasks) {
  HWY_DYNAMIC_DISPATCH(back_block_on_target)(block, shape, tasks);
}

std::string kernel_target() {
  return HWY_DYNAMIC_DISPATCH(target_name)();
}

}  // namespace cane
#endif
