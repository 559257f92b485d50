#include "core/simd/change_kernels.h"

#include "core/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/simd/change_kernels.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "core/simd/load-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cane {
namespace HWY_NAMESPACE {

bool take_change_on_target(const float* weights, float* known, float least, Half* change) {
  const hn::CappedTag<float, kChangeLine> tag;
  const hn::Rebind<hwy::float16_t, decltype(tag)> half_tag;
  const hn::Rebind<std::uint16_t, decltype(tag)> bits_tag;
  const auto most = hn::Set(tag, kLargestHalf);
  auto* bits = reinterpret_cast<std::uint16_t*>(change);
  auto largest = hn::Zero(tag);
  auto furthest = hn::Zero(tag);
  for (std::size_t i = 0; i < kChangeLine; i += hn::Lanes(tag)) {
    const auto weight = hn::LoadU(tag, weights + i);
    largest = hn::Max(largest, hn::Abs(weight));
    furthest = hn::Max(furthest, hn::Abs(hn::Sub(weight, hn::LoadU(tag, known + i))));
  }
  const float change_of_line = hn::GetLane(hn::MaxOfLanes(tag, furthest));
  if (change_of_line <= least * hn::GetLane(hn::MaxOfLanes(tag, largest))) return false;
  bool has_changed = false;
  for (std::size_t i = 0; i < kChangeLine; i += hn::Lanes(tag)) {
    const auto before = hn::LoadU(tag, known + i);
    const auto difference = hn::Sub(hn::LoadU(tag, weights + i), before);
    const auto half = hn::DemoteTo(half_tag, hn::Max(hn::Neg(most), hn::Min(difference, most)));
    const auto sent = hn::PromoteTo(tag, half);
    hn::StoreU(hn::BitCast(bits_tag, half), bits_tag, bits + i);
    hn::StoreU(hn::Add(before, sent), tag, known + i);
    has_changed = has_changed || !hn::AllTrue(tag, hn::Eq(sent, hn::Zero(tag)));
  }
  return has_changed;
}

void add_change_on_target(const Half* change, float* weights, float* known) {
  const hn::CappedTag<float, kChangeLine> tag;
  for (std::size_t i = 0; i < kChangeLine; i += hn::Lanes(tag)) {
    const auto sent = load_weights(tag, change + i);
    hn::StoreU(hn::Add(hn::LoadU(tag, weights + i), sent), tag, weights + i);
    hn::StoreU(hn::Add(hn::LoadU(tag, known + i), sent), tag, known + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cane {

HWY_EXPORT(take_change_on_target);
HWY_EXPORT(add_change_on_target);

bool take_change(const float* weights, float* known, float least, Half* change) {
  return HWY_DYNAMIC_DISPATCH(take_change_on_target)(weights, known, least, change);
}

void add_change(const Half* change, float* weights, float* known) {
  HWY_DYNAMIC_DISPATCH(add_change_on_target)(change, weights, known);
}

}  // namespace cane
#endif
