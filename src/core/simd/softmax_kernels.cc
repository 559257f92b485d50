#include "core/simd/softmax_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/simd/softmax_kernels.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "core/simd/exponential-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cane {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using WideTag = hn::ScalableTag<float>;
using QuadTag = hn::CappedTag<float, 4>;
using SingleTag = hn::CappedTag<float, 1>;
using Wide = hn::Vec<WideTag>;

constexpr std::size_t kLanes = hn::MaxLanes(WideTag());
// Number of exponentials summed as floats before they are added to a double.
constexpr std::size_t kRun = 64 * kLanes;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Sums the exponentials from `begin` to `end`; stores them where kStore is set.
template <bool kStore>
HWY_INLINE float sum_run(const float* scores, std::size_t begin, std::size_t end, float shift,
                         float* out) {
  const auto exponential_at = [&](auto tag, std::size_t i) HWY_ATTR {
    const auto result = exponential(tag, hn::Sub(hn::LoadU(tag, scores + i), hn::Set(tag, shift)));
    if constexpr (kStore) hn::StoreU(result, tag, out + i);
    return result;
  };
  Wide sums = hn::Zero(WideTag());
  auto quad_sums = hn::Zero(QuadTag());
  auto single_sum = hn::Zero(SingleTag());
  std::size_t i = begin;
  for (; i + kLanes <= end; i += kLanes) sums = hn::Add(sums, exponential_at(WideTag(), i));
  for (; i + hn::MaxLanes(QuadTag()) <= end; i += hn::MaxLanes(QuadTag())) {
    quad_sums = hn::Add(quad_sums, exponential_at(QuadTag(), i));
  }
  for (; i < end; ++i) single_sum = hn::Add(single_sum, exponential_at(SingleTag(), i));
  return hn::GetLane(hn::SumOfLanes(WideTag(), sums)) +
         hn::GetLane(hn::SumOfLanes(QuadTag(), quad_sums)) + hn::GetLane(single_sum);
}

template <bool kStore>
HWY_INLINE double sum_exponentials(const float* scores, std::size_t count, float shift,
                                   float* out) {
  double sum = 0.0;
  for (std::size_t i = 0; i < count; i += kRun) {
    sum += static_cast<double>(sum_run<kStore>(scores, i, std::min(i + kRun, count), shift, out));
  }
  return sum;
}

float max_of_on_target(const float* scores, std::size_t count) {
  constexpr std::size_t kChains = 2;
  const WideTag tag;
  Wide largest[kChains] = {hn::Set(tag, -kInfinity), hn::Set(tag, -kInfinity)};
  std::size_t i = 0;
  for (; i + kChains * kLanes <= count; i += kChains * kLanes) {
    for (std::size_t chain = 0; chain < kChains; ++chain) {
      largest[chain] = hn::Max(largest[chain], hn::LoadU(tag, scores + i + chain * kLanes));
    }
  }
  // Emulated vectors return the lowest finite number as the maximum of an empty set.
  float result = -kInfinity;
  if (i > 0) result = hn::GetLane(hn::MaxOfLanes(tag, hn::Max(largest[0], largest[1])));
  for (; i < count; ++i) result = std::max(result, scores[i]);
  return result;
}

float exp_and_sum_on_target(const float* scores, std::size_t count, float shift, float* out) {
  return static_cast<float>(sum_exponentials<true>(scores, count, shift, out));
}

float log_sum_exp_on_target(const float* scores, std::size_t count) {
  const float largest = max_of_on_target(scores, count);
  const float shift = std::isfinite(largest) ? largest : 0.0F;
  const double sum = sum_exponentials<false>(scores, count, shift, nullptr);
  return static_cast<float>(static_cast<double>(shift) + std::log(sum));
}

}  // namespace HWY_NAMESPACE
}  // namespace cane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cane {

HWY_EXPORT(max_of_on_target);
HWY_EXPORT(exp_and_sum_on_target);
HWY_EXPORT(log_sum_exp_on_target);

float max_of(const float* scores, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(max_of_on_target)(scores, count);
}

float exp_and_sum(const float* scores, std::size_t count, float shift, float* out) {
  return HWY_DYNAMIC_DISPATCH(exp_and_sum_on_target)(scores, count, shift, out);
}

float log_sum_exp(const float* scores, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(log_sum_exp_on_target)(scores, count);
}

}  // namespace cane
#endif
