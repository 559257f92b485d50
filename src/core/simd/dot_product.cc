#include "core/simd/dot_product.h"

#include "core/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/simd/dot_product.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cane {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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

HWY_EXPORT(dot_product_of_target);

DotProduct dot_product() {
  return HWY_DYNAMIC_DISPATCH(dot_product_of_target)();
}

}  // namespace cane
#endif
