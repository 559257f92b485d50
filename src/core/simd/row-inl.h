// Arithmetic on rows of weights that are contiguous: the weights of one class, feature after
// feature, and its bias last. Compiled once for every instruction set, from the kernels only.
//
// A dot product is summed in one order, independent of what else is computed with it: full vectors
// in kChains chains, then quadruples, then single features. So four at once give the bits of one
// alone.

#if defined(CANE_ROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANE_ROW_INL_H_
#undef CANE_ROW_INL_H_
#else
#define CANE_ROW_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>

#include "core/base/row_view.h"
#include "core/simd/load-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cane {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using WideTag = hn::ScalableTag<float>;
using QuadTag = hn::CappedTag<float, 4>;
using SingleTag = hn::CappedTag<float, 1>;
using Wide = hn::Vec<WideTag>;
using Quad = hn::Vec<QuadTag>;
using Single = hn::Vec<SingleTag>;

inline constexpr std::size_t kWideLanes = hn::MaxLanes(WideTag());
inline constexpr std::size_t kQuadLanes = hn::MaxLanes(QuadTag());  // 1 without SIMD
inline constexpr std::size_t kDotGroup = 4;  // dot products at once: fills a Quad
inline constexpr std::size_t kDotChains = 2;

// totals[r] = the sum of the lanes of sums[r]. The last four are summed as (0 + 2) + (1 + 3).
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE Quad fold_to_quad(WideTag /*tag*/, Wide sum) {
  return sum;
}

template <std::size_t kCount>
HWY_INLINE void sum_lanes(const Quad (&sums)[kCount], float (&totals)[kCount]) {
  for (std::size_t r = 0; r < kCount; ++r) totals[r] = hn::GetLane(sums[r]);
}
#else
template <class Tag>
HWY_INLINE Quad fold_to_quad(Tag /*tag*/, hn::Vec<Tag> sum) {
  if constexpr (hn::MaxLanes(Tag()) == kQuadLanes) {
    return sum;
  } else {
    const hn::Half<Tag> half;
    return fold_to_quad(half, hn::Add(hn::LowerHalf(half, sum), hn::UpperHalf(half, sum)));
  }
}

HWY_INLINE Quad sum_four(Quad a, Quad b, Quad c, Quad d) {
  const QuadTag tag;
  const Quad ab = hn::Add(hn::ConcatLowerLower(tag, b, a), hn::ConcatUpperUpper(tag, b, a));
  const Quad cd = hn::Add(hn::ConcatLowerLower(tag, d, c), hn::ConcatUpperUpper(tag, d, c));
  return hn::Add(hn::ConcatEven(tag, cd, ab), hn::ConcatOdd(tag, cd, ab));
}

template <std::size_t kCount>
HWY_INLINE void sum_lanes(const Quad (&sums)[kCount], float (&totals)[kCount]) {
  if constexpr (kCount == kDotGroup) {
    hn::StoreU(sum_four(sums[0], sums[1], sums[2], sums[3]), QuadTag(), totals);
  } else {
    totals[0] = hn::GetLane(sum_four(sums[0], sums[0], sums[0], sums[0]));
  }
}
#endif

HWY_INLINE Single load_single(const float* value) {
  return hn::LoadU(SingleTag(), value);
}

HWY_INLINE void add_product(float value, float step, float* weight) {
  const Single product =
      hn::MulAdd(hn::Set(SingleTag(), value), hn::Set(SingleTag(), step), load_single(weight));
  hn::StoreU(product, SingleTag(), weight);
}

// totals[r] = the dot product of `shared` and others[r].
template <std::size_t kCount, typename Weight = float>
HWY_INLINE void dense_dots(const float* shared, const Weight* const (&others)[kCount],
                           std::size_t length, float (&totals)[kCount]) {
  static_assert(kCount == 1 || kCount == kDotGroup);
  Wide sums[kCount][kDotChains];
  for (auto& chains : sums) {
    for (auto& sum : chains) sum = hn::Zero(WideTag());
  }
  const auto add_vector = [&](std::size_t chain, std::size_t p) HWY_ATTR {
    const Wide x = hn::LoadU(WideTag(), shared + p);
    for (std::size_t r = 0; r < kCount; ++r) {
      sums[r][chain] = hn::MulAdd(x, load_weights(WideTag(), others[r] + p), sums[r][chain]);
    }
  };
  std::size_t p = 0;
  for (; p + kDotChains * kWideLanes <= length; p += kDotChains * kWideLanes) {
    for (std::size_t chain = 0; chain < kDotChains; ++chain) {
      add_vector(chain, p + chain * kWideLanes);
    }
  }
  for (; p + kWideLanes <= length; p += kWideLanes) add_vector(0, p);

  Quad quads[kCount];
  for (std::size_t r = 0; r < kCount; ++r) {
    quads[r] = fold_to_quad(WideTag(), hn::Add(sums[r][0], sums[r][1]));
  }
  for (; p + kQuadLanes <= length; p += kQuadLanes) {
    const Quad x = hn::LoadU(QuadTag(), shared + p);
    for (std::size_t r = 0; r < kCount; ++r) {
      quads[r] = hn::MulAdd(x, load_weights(QuadTag(), others[r] + p), quads[r]);
    }
  }
  sum_lanes(quads, totals);
  for (; p < length; ++p) {
    for (std::size_t r = 0; r < kCount; ++r) {
      add_product(shared[p], hn::GetLane(load_weights(SingleTag(), others[r] + p)), &totals[r]);
    }
  }
}

// totals[r] = the sum over the features of a sparse row of value times weights[r][feature].
template <std::size_t kCount, typename Weight>
HWY_INLINE void sparse_dots(const RowView& row, const Weight* const (&weights)[kCount],
                            float (&totals)[kCount]) {
  Single sums[kCount][kDotChains];
  for (auto& chains : sums) {
    for (auto& sum : chains) sum = hn::Zero(SingleTag());
  }
  const auto add_feature = [&](std::size_t chain, std::size_t p) HWY_ATTR {
    const Single x = load_single(row.values + p);
    const std::size_t feature = row.indices[p];
    for (std::size_t r = 0; r < kCount; ++r) {
      sums[r][chain] =
          hn::MulAdd(x, load_weights(SingleTag(), weights[r] + feature), sums[r][chain]);
    }
  };
  std::size_t p = 0;
  for (; p + kDotChains <= row.count; p += kDotChains) {
    for (std::size_t chain = 0; chain < kDotChains; ++chain) add_feature(chain, p + chain);
  }
  for (; p < row.count; ++p) add_feature(0, p);
  for (std::size_t r = 0; r < kCount; ++r) {
    totals[r] = hn::GetLane(hn::Add(sums[r][0], sums[r][1]));
  }
}

template <std::size_t kCount, typename Weight>
HWY_INLINE void row_dots(const RowView& row, const Weight* const (&weights)[kCount],
                         float (&totals)[kCount]) {
  if (row.indices == nullptr) {
    dense_dots<kCount>(row.values, weights, row.count, totals);
  } else {
    sparse_dots<kCount>(row, weights, totals);
  }
}

// scores[r] = base + bias + x . weights for rows of weights, one example.
template <std::size_t kCount>
HWY_INLINE void score_weights(const float* const (&weights)[kCount], FeatureId dimension,
                              const RowView& row, float base, float (&scores)[kCount]) {
  row_dots<kCount>(row, weights, scores);
  for (std::size_t r = 0; r < kCount; ++r) scores[r] = base + (scores[r] + weights[r][dimension]);
}

// weights += steps[0] * values[0], then += steps[1] * values[1] and so on, loading and storing the
// weights once.
template <std::size_t kCount>
HWY_INLINE void add_dense(float* weights, std::size_t length, const float* const (&values)[kCount],
                          const float (&steps)[kCount]) {
  std::size_t p = 0;
  for (; p + kWideLanes <= length; p += kWideLanes) {
    Wide sum = hn::LoadU(WideTag(), weights + p);
    for (std::size_t t = 0; t < kCount; ++t) {
      sum = hn::MulAdd(hn::LoadU(WideTag(), values[t] + p), hn::Set(WideTag(), steps[t]), sum);
    }
    hn::StoreU(sum, WideTag(), weights + p);
  }
  for (; p < length; ++p) {
    for (std::size_t t = 0; t < kCount; ++t) add_product(values[t][p], steps[t], weights + p);
  }
}

HWY_INLINE void add_row(float* weights, const RowView& row, float step) {
  if (row.indices == nullptr) {
    add_dense<1>(weights, row.count, {row.values}, {step});
    return;
  }
  for (std::size_t p = 0; p < row.count; ++p) {
    add_product(row.values[p], step, weights + row.indices[p]);
  }
}

template <typename Weight>
HWY_INLINE void prefetch_row(const Weight* first, std::size_t count) {
  constexpr std::size_t kPerLine = 64 / sizeof(Weight);
  for (std::size_t i = 0; i < count; i += kPerLine) hwy::Prefetch(first + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace cane
HWY_AFTER_NAMESPACE();

#endif
