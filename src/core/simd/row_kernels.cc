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

float dot_product_on_target(const float* a, const float* b, std::size_t size) {
  // Two sums, so that one multiply-add need not wait for the one before it.
  const hn::CappedTag<float, kDotMultiple / 2> tag;
  const std::size_t lanes = hn::Lanes(tag);
  auto even = hn::Zero(tag);
  auto odd = hn::Zero(tag);
  for (std::size_t i = 0; i < size; i += 2 * lanes) {
    even = hn::MulAdd(hn::LoadU(tag, a + i), hn::LoadU(tag, b + i), even);
    odd = hn::MulAdd(hn::LoadU(tag, a + i + lanes), hn::LoadU(tag, b + i + lanes), odd);
  }
  return hn::GetLane(hn::SumOfLanes(tag, hn::Add(even, odd)));
}

DotProduct dot_product_of_target() {
  return dot_product_on_target;
}

}  // namespace HWY_NAMESPACE
}  // namespace cane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cane {

HWY_EXPORT(score_rows_on_target);
HWY_EXPORT(update_rows_on_target);
HWY_EXPORT(dot_product_of_target);

void score_rows(const float* table, std::size_t pitch, FeatureId dimension, const RowView& row,
                std::span<const ClassId> classes, float* scores) {
  HWY_DYNAMIC_DISPATCH(score_rows_on_target)(table, pitch, dimension, row, classes, scores);
}

void update_rows(float* table, std::size_t pitch, FeatureId dimension, float rate,
                 const RowView& row, std::span<const ClassId> classes, const float* steps) {
  HWY_DYNAMIC_DISPATCH(update_rows_on_target)(table, pitch, dimension, rate, row, classes, steps);
}

DotProduct dot_product() {
  return HWY_DYNAMIC_DISPATCH(dot_product_of_target)();
}

}  // namespace cane
#endif
