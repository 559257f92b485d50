#include "core/simd/adaptive_row.h"

#include "core/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/simd/adaptive_row.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "core/simd/row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cane {
namespace HWY_NAMESPACE {

float score_row_on_target(const float* weights, FeatureId dimension, const RowView& row) {
  const float* const rows[1] = {weights};
  float total[1];
  score_weights<1>(rows, dimension, row, 0.0F, total);
  return total[0];
}

// The weights of one vector, or of a single feature. A weight without any gradient so far is
// unchanged: 0 / sqrt(0) is NaN.
template <class Tag>
HWY_INLINE hn::Vec<Tag> adapt(Tag tag, hn::Vec<Tag> x, hn::Vec<Tag> g2, float* squares,
                              float* scaled) {
  const auto sum = hn::MulAdd(hn::Mul(g2, x), x, hn::LoadU(tag, squares));
  hn::StoreU(sum, tag, squares);
  const auto is_zero = hn::Eq(sum, hn::Zero(tag));
  const auto step = hn::IfThenZeroElse(is_zero, hn::Div(x, hn::Sqrt(sum)));
  hn::StoreU(step, tag, scaled);
  return hn::Mul(x, step);
}

float adapt_row_on_target(FeatureId dimension, const RowView& row, float g2, float* squares,
                          float* scaled) {
  const WideTag wide;
  const SingleTag single;
  const auto single_g2 = hn::Set(single, g2);
  const float one = 1.0F;
  float moved = hn::GetLane(
      adapt(single, load_single(&one), single_g2, squares + dimension, scaled + row.count));
  std::size_t p = 0;
  if (row.indices == nullptr) {
    const Wide wide_g2 = hn::Set(wide, g2);
    Wide sum = hn::Zero(wide);
    for (; p + kWideLanes <= row.count; p += kWideLanes) {
      sum = hn::Add(sum,
                    adapt(wide, hn::LoadU(wide, row.values + p), wide_g2, squares + p, scaled + p));
    }
    moved += hn::GetLane(hn::SumOfLanes(wide, sum));
  }
  for (; p < row.count; ++p) {
    const std::size_t feature = row.indices == nullptr ? p : row.indices[p];
    moved += hn::GetLane(
        adapt(single, load_single(row.values + p), single_g2, squares + feature, scaled + p));
  }
  return moved;
}

void step_row_on_target(FeatureId dimension, const RowView& row, float step, const float* scaled,
                        float* weights) {
  add_row(weights, {row.indices, scaled, row.count}, step);
  add_product(scaled[row.count], step, weights + dimension);
}

}  // namespace HWY_NAMESPACE
}  // namespace cane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cane {

HWY_EXPORT(score_row_on_target);
HWY_EXPORT(adapt_row_on_target);
HWY_EXPORT(step_row_on_target);

float score_row(const float* weights, FeatureId dimension, const RowView& row) {
  return HWY_DYNAMIC_DISPATCH(score_row_on_target)(weights, dimension, row);
}

float adapt_row(FeatureId dimension, const RowView& row, float g2, float* squares, float* scaled) {
  return HWY_DYNAMIC_DISPATCH(adapt_row_on_target)(dimension, row, g2, squares, scaled);
}

void step_row(FeatureId dimension, const RowView& row, float step, const float* scaled,
              float* weights) {
  HWY_DYNAMIC_DISPATCH(step_row_on_target)(dimension, row, step, scaled, weights);
}

}  // namespace cane
#endif
