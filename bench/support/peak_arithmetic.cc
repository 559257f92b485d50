#include "bench/support/peak_arithmetic.h"

#include "core/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/support/peak_arithmetic.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cane::bench {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

std::uint64_t multiply_and_add_on_target(std::uint64_t operations, float& result) {
  const hn::ScalableTag<float> tag;
  using Vector = hn::Vec<decltype(tag)>;
  // Latency times multiply-adds a cycle is 8 on x86, and up to 16 elsewhere; sums, factor and
  // addend must fit in the registers, of which AVX2 has 16.
  constexpr std::size_t kChains = HWY_ARCH_X86 ? 12 : 16;
  const Vector factor = hn::Set(tag, 0.5F);
  const Vector addend = hn::Set(tag, result);
  Vector sums[kChains];
  for (std::size_t c = 0; c < kChains; ++c) sums[c] = hn::Set(tag, static_cast<float>(c));
  const std::uint64_t each_time = 2 * kChains * hn::Lanes(tag);
  const std::uint64_t times = (operations + each_time - 1) / each_time;
  for (std::uint64_t i = 0; i < times; ++i) {
    for (std::size_t c = 0; c < kChains; ++c) sums[c] = hn::MulAdd(sums[c], factor, addend);
  }
  for (std::size_t c = 1; c < kChains; ++c) sums[0] = hn::Add(sums[0], sums[c]);
  result = hn::GetLane(hn::SumOfLanes(tag, sums[0]));
  return times * each_time;
}

}  // namespace HWY_NAMESPACE
}  // namespace cane::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cane::bench {

HWY_EXPORT(multiply_and_add_on_target);

std::uint64_t multiply_and_add(std::uint64_t operations, float& result) {
  return HWY_DYNAMIC_DISPATCH(multiply_and_add_on_target)(operations, result);
}

}  // namespace cane::bench
#endif
