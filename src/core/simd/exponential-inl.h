// The exponential of a vector. Compiled once for every instruction set.

#if defined(CANE_EXPONENTIAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANE_EXPONENTIAL_INL_H_
#undef CANE_EXPONENTIAL_INL_H_
#else
#define CANE_EXPONENTIAL_INL_H_
#endif

#include <hwy/highway.h>

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace cane {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// exp(x) = 2^n * exp(r) with x = n log 2 + r, n a whole number and |r| <= log(2) / 2. In
// the polynomial 1 + r + r^2 q(r), q interpolates at the Chebyshev nodes of that interval: within
// 1e-8, and exact at 0.
template <class Tag, class Vector = hn::Vec<Tag>>
HWY_INLINE Vector exponential(Tag tag, Vector x) {
  const hn::RebindToUnsigned<Tag> bits;
  constexpr float kSmallest = -87.336544F;  // log of the least normal number
  constexpr float kLargest = 88.722839F;    // log of the largest
  constexpr float kLog2E = 1.44269504F;
  // log 2 in two parts; the first has few digits, so that n times it is exact.
  constexpr float kLog2High = 0.693359375F;
  constexpr float kLog2Low = -2.12194440e-4F;
  // Adding this shifts out the fraction: n is in the lowest bits of the sum.
  constexpr float kRounding = 12582912.0F;

  const Vector rounded = hn::MulAdd(x, hn::Set(tag, kLog2E), hn::Set(tag, kRounding));
  const Vector n = hn::Sub(rounded, hn::Set(tag, kRounding));
  const Vector r =
      hn::NegMulAdd(n, hn::Set(tag, kLog2Low), hn::NegMulAdd(n, hn::Set(tag, kLog2High), x));
  // Summed in pairs, for a shorter dependency chain.
  const Vector r2 = hn::Mul(r, r);
  const Vector low = hn::Add(r, hn::Set(tag, 1.0F));
  const Vector middle = hn::MulAdd(r, hn::Set(tag, 0.166665778F), hn::Set(tag, 0.5F));
  const Vector high =
      hn::MulAdd(r2, hn::Set(tag, 1.39261759e-3F),
                 hn::MulAdd(r, hn::Set(tag, 8.36317334e-3F), hn::Set(tag, 4.16665561e-2F)));
  const Vector sum = hn::MulAdd(r2, hn::MulAdd(r2, high, middle), low);
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(bits, rounded));
  const Vector scaled = hn::BitCast(tag, hn::Add(hn::BitCast(bits, sum), exponent));
  // Outside the range the bits are meaningless; adding infinity preserves NaN.
  const Vector bounded =
      hn::IfThenElse(hn::Le(x, hn::Set(tag, kLargest)), scaled,
                     hn::Add(x, hn::Set(tag, std::numeric_limits<float>::infinity())));
  return hn::IfThenElse(hn::Lt(x, hn::Set(tag, kSmallest)), hn::Zero(tag), bounded);
}

}  // namespace HWY_NAMESPACE
}  // namespace cane
HWY_AFTER_NAMESPACE();

#endif
