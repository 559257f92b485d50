#include "kernels/softmax_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

// As in block_kernels.cc.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax_kernels.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cane {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

constexpr std::size_t kLanes = hn::MaxLanes(Tag());
constexpr std::size_t kChains = 4;
// So many exponentials are summed as floats before the sum goes on in double.
constexpr std::size_t kRun = 1024;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// exp(x) = 2^n * exp(r) with x = n log 2 + r, n a whole number and |r| <= log(2) / 2. In
// the polynomial 1 + r + r^2 q(r), q interpolates at the Chebyshev nodes of that interval: within
// 1e-8, and exact at 0.
HWY_INLINE Vector exponential(Vector x) {
  const Tag tag;
  const hn::RebindToUnsigned<Tag> bits;
  constexpr float kSmallest = -87.336544F;  // log of the least normal number
  constexpr float kLargest = 88.722839F;    // log of the largest
  constexpr float kLog2E = 1.44269504F;
  // log 2 in two parts; the first has few digits, so that n times it is exact.
  constexpr float kLog2High = 0.693359375F;
  constexpr float kLog2Low = -2.12194440e-4F;
  // Adding it leaves no room for a fraction: n stands in the lowest bits of the sum.
  constexpr float kRounding = 12582912.0F;

  const Vector rounded = hn::MulAdd(x, hn::Set(tag, kLog2E), hn::Set(tag, kRounding));
  const Vector n = hn::Sub(rounded, hn::Set(tag, kRounding));
  const Vector r =
      hn::NegMulAdd(n, hn::Set(tag, kLog2Low), hn::NegMulAdd(n, hn::Set(tag, kLog2High), x));
  Vector sum = hn::Set(tag, 1.39261759e-3F);
  sum = hn::MulAdd(sum, r, hn::Set(tag, 8.36317334e-3F));
  sum = hn::MulAdd(sum, r, hn::Set(tag, 4.16665561e-2F));
  sum = hn::MulAdd(sum, r, hn::Set(tag, 0.166665778F));
  sum = hn::MulAdd(sum, r, hn::Set(tag, 0.5F));
  sum = hn::MulAdd(sum, r, hn::Set(tag, 1.0F));
  sum = hn::MulAdd(sum, r, hn::Set(tag, 1.0F));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(bits, rounded));
  const Vector scaled = hn::BitCast(tag, hn::Add(hn::BitCast(bits, sum), exponent));
  // Beyond the range the bits mean nothing; adding infinity keeps what is not a number.
  const Vector bounded = hn::IfThenElse(hn::Le(x, hn::Set(tag, kLargest)), scaled,
                                        hn::Add(x, hn::Set(tag, kInfinity)));
  return hn::IfThenElse(hn::Lt(x, hn::Set(tag, kSmallest)), hn::Zero(tag), bounded);
}

// Sums the exponentials from `begin` to `end`; stores them where kStore is set.
template <bool kStore>
HWY_INLINE float sum_run(const float* scores, std::size_t begin, std::size_t end, float shift,
                         float* out) {
  const Tag tag;
  const Vector shifts = hn::Set(tag, shift);
  Vector sums[kChains];
  for (auto& sum : sums) sum = hn::Zero(tag);
  const auto add = [&](std::size_t chain, const float* from, float* to, std::size_t p) HWY_ATTR {
    const Vector result = exponential(hn::Sub(hn::LoadU(tag, from + p), shifts));
    if constexpr (kStore) hn::StoreU(result, tag, to + p);
    sums[chain] = hn::Add(sums[chain], result);
  };
  std::size_t i = begin;
  for (; i + kChains * kLanes <= end; i += kChains * kLanes) {
    for (std::size_t chain = 0; chain < kChains; ++chain) {
      add(chain, scores, out, i + chain * kLanes);
    }
  }
  for (; i + kLanes <= end; i += kLanes) add(0, scores, out, i);
  if (i < end) {
    float last[kLanes];
    std::fill(last, last + kLanes, -kInfinity);
    std::copy(scores + i, scores + end, last);
    add(0, last, last, 0);
    if constexpr (kStore) std::copy(last, last + (end - i), out + i);
  }
  const Vector total = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
  return hn::GetLane(hn::SumOfLanes(tag, total));
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
  const Tag tag;
  Vector largest[kChains];
  for (auto& chain : largest) chain = hn::Set(tag, -kInfinity);
  std::size_t i = 0;
  for (; i + kChains * kLanes <= count; i += kChains * kLanes) {
    for (std::size_t chain = 0; chain < kChains; ++chain) {
      largest[chain] = hn::Max(largest[chain], hn::LoadU(tag, scores + i + chain * kLanes));
    }
  }
  for (; i + kLanes <= count; i += kLanes) {
    largest[0] = hn::Max(largest[0], hn::LoadU(tag, scores + i));
  }
  const Vector both = hn::Max(hn::Max(largest[0], largest[1]), hn::Max(largest[2], largest[3]));
  float result = hn::GetLane(hn::MaxOfLanes(tag, both));
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
