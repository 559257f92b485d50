#include "core/simd/softmax_columns.h"

#include <cassert>

#include "core/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/simd/softmax_columns.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "core/simd/exponential-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cane {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, kColumnMultiple>;
constexpr std::size_t kLanes = hn::MaxLanes(Tag());

void exponentiate_columns_on_target(Matrix scores, const float* offsets, std::size_t classes,
                                    std::size_t columns, const ColumnSums& result) {
  const Tag tag;
  for (std::size_t c = 0; c < columns; c += kLanes) {
    const auto score = [&](std::size_t k) {
      return hn::Add(hn::LoadU(tag, scores.data + k * scores.pitch + c), hn::Set(tag, offsets[k]));
    };
    auto largest = score(0);
    for (std::size_t k = 1; k < classes; ++k) largest = hn::Max(largest, score(k));
    auto sum = hn::Zero(tag);
    auto squares = hn::Zero(tag);
    for (std::size_t k = 0; k < classes; ++k) {
      float* at = scores.data + k * scores.pitch + c;
      const auto value = exponential(tag, hn::Sub(score(k), largest));
      hn::StoreU(value, tag, at);
      sum = hn::Add(sum, value);
      squares = hn::MulAdd(value, value, squares);
    }
    hn::StoreU(largest, tag, result.largest + c);
    hn::StoreU(sum, tag, result.sums + c);
    hn::StoreU(squares, tag, result.squares + c);
  }
}

void join_columns_on_target(std::span<const ColumnSums> shares, std::size_t columns,
                            const ColumnSums& result) {
  const Tag tag;
  for (std::size_t c = 0; c < columns; c += kLanes) {
    auto largest = hn::LoadU(tag, shares[0].largest + c);
    for (const ColumnSums& share : shares.subspan(1)) {
      largest = hn::Max(largest, hn::LoadU(tag, share.largest + c));
    }
    auto sum = hn::Zero(tag);
    auto squares = hn::Zero(tag);
    for (const ColumnSums& share : shares) {
      const auto factor = exponential(tag, hn::Sub(hn::LoadU(tag, share.largest + c), largest));
      sum = hn::MulAdd(factor, hn::LoadU(tag, share.sums + c), sum);
      squares = hn::MulAdd(hn::Mul(factor, factor), hn::LoadU(tag, share.squares + c), squares);
    }
    hn::StoreU(largest, tag, result.largest + c);
    hn::StoreU(sum, tag, result.sums + c);
    hn::StoreU(squares, tag, result.squares + c);
  }
}

void scale_columns_on_target(Matrix exponentials, std::size_t classes, std::size_t columns,
                             const float* share_largest, const float* largest,
                             const float* factors) {
  const Tag tag;
  for (std::size_t c = 0; c < columns; c += kLanes) {
    const auto shift = hn::Sub(hn::LoadU(tag, share_largest + c), hn::LoadU(tag, largest + c));
    const auto factor = hn::Mul(exponential(tag, shift), hn::LoadU(tag, factors + c));
    const auto least = hn::Set(tag, kLeastScaled);
    for (std::size_t k = 0; k < classes; ++k) {
      float* at = exponentials.data + k * exponentials.pitch + c;
      const auto scaled = hn::Mul(factor, hn::LoadU(tag, at));
      hn::StoreU(hn::IfThenElseZero(hn::Ge(hn::Abs(scaled), least), scaled), tag, at);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cane {

HWY_EXPORT(exponentiate_columns_on_target);
HWY_EXPORT(join_columns_on_target);
HWY_EXPORT(scale_columns_on_target);

void exponentiate_columns(Matrix scores, const float* offsets, std::size_t classes,
                          std::size_t columns, const ColumnSums& result) {
  assert(classes > 0 && columns % kColumnMultiple == 0);
  HWY_DYNAMIC_DISPATCH(exponentiate_columns_on_target)(scores, offsets, classes, columns, result);
}

void join_columns(std::span<const ColumnSums> shares, std::size_t columns,
                  const ColumnSums& result) {
  assert(!shares.empty() && columns % kColumnMultiple == 0);
  HWY_DYNAMIC_DISPATCH(join_columns_on_target)(shares, columns, result);
}

void scale_columns(Matrix exponentials, std::size_t classes, std::size_t columns,
                   const float* share_largest, const float* largest, const float* factors) {
  assert(columns % kColumnMultiple == 0);
  HWY_DYNAMIC_DISPATCH(scale_columns_on_target)
  (exponentials, classes, columns, share_largest, largest, factors);
}

}  // namespace cane
#endif
