#include "core/simd/row_kernels.h"

#include "core/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/simd/row_kernels.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "core/simd/row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cane {
namespace HWY_NAMESPACE {

void score_rows_on_target(const float* table, std::size_t pitch, FeatureId dimension,
                          const RowView& row, std::span<const ClassId> classes, float* scores) {
  // Rows are scattered over a table that may exceed the caches. A sparse example keeps enough loads
  // in flight without prefetching.
  constexpr std::size_t kAhead = 4;
  const auto prefetch = [&](std::size_t i) HWY_ATTR {
    if (row.indices != nullptr || i >= classes.size()) return;
    prefetch_row(table + classes[i] * pitch, std::size_t{dimension} + 1);
  };
  std::size_t i = 0;
  for (; i + kDotGroup <= classes.size(); i += kDotGroup) {
    const float* weights[kDotGroup];
    for (std::size_t r = 0; r < kDotGroup; ++r) {
      weights[r] = table + classes[i + r] * pitch;
      prefetch(i + r + kAhead);
    }
    float totals[kDotGroup];
    score_weights<kDotGroup>(weights, dimension, row, 0.0F, totals);
    for (std::size_t r = 0; r < kDotGroup; ++r) scores[i + r] = totals[r];
  }
  for (; i < classes.size(); ++i) {
    const float* const weights[1] = {table + classes[i] * pitch};
    float total[1];
    score_weights<1>(weights, dimension, row, 0.0F, total);
    scores[i] = total[0];
  }
}

void update_rows_on_target(float* table, std::size_t pitch, FeatureId dimension, float rate,
                           const RowView& row, std::span<const ClassId> classes,
                           const float* steps) {
  for (std::size_t i = 0; i < classes.size(); ++i) {
    float* weights = table + classes[i] * pitch;
    const float step = rate * steps[i];
    add_row(weights, row, step);
    add_product(1.0F, step, weights + dimension);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cane {

HWY_EXPORT(score_rows_on_target);
HWY_EXPORT(update_rows_on_target);

void score_rows(const float* table, std::size_t pitch, FeatureId dimension, const RowView& row,
                std::span<const ClassId> classes, float* scores) {
  HWY_DYNAMIC_DISPATCH(score_rows_on_target)(table, pitch, dimension, row, classes, scores);
}

void update_rows(float* table, std::size_t pitch, FeatureId dimension, float rate,
                 const RowView& row, std::span<const ClassId> classes, const float* steps) {
  HWY_DYNAMIC_DISPATCH(update_rows_on_target)(table, pitch, dimension, rate, row, classes, steps);
}

}  // namespace cane
#endif
