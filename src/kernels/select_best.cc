#include "kernels/select_best.h"

#include <bit>
#include <cmath>

// As in block_kernels.cc.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/select_best.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cane {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, kSelectMultiple>;
using Vector = hn::Vec<Tag>;

constexpr int kSteps = 24;
constexpr float kWidest = 1e30F;  // beyond, halving an interval could overflow

HWY_INLINE std::size_t count_from(float threshold, std::span<const float> scores) {
  const Vector least = hn::Set(Tag(), threshold);
  std::size_t reached = 0;
  for (std::size_t i = 0; i < scores.size(); i += hn::Lanes(Tag())) {
    reached += hn::CountTrue(Tag(), hn::Ge(hn::LoadU(Tag(), scores.data() + i), least));
  }
  return reached;
}

// Looks for a threshold that exactly `keep` scores reach, by halving an interval. Fails where equal
// scores, or scores too close to tell apart in a few steps, make the cut.
HWY_INLINE bool find_threshold(std::span<const float> scores, std::uint32_t keep,
                               float& threshold) {
  // Every lane's largest: as many scores as there are lanes reach the least of these.
  Vector lane_largest = hn::LoadU(Tag(), scores.data());
  for (std::size_t i = hn::Lanes(Tag()); i < scores.size(); i += hn::Lanes(Tag())) {
    lane_largest = hn::Max(lane_largest, hn::LoadU(Tag(), scores.data() + i));
  }
  float high = hn::GetLane(hn::MaxOfLanes(Tag(), lane_largest));
  if (keep == 1) {
    threshold = high;
    return count_from(threshold, scores) == 1;
  }
  // A lane of padding alone says nothing.
  const Vector largest = hn::Set(Tag(), high);
  const auto is_padding = hn::Eq(lane_largest, hn::Neg(hn::Inf(Tag())));
  float low = hn::GetLane(hn::MinOfLanes(Tag(), hn::IfThenElse(is_padding, largest, lane_largest)));
  // A single lane gives no interval: begin with a narrow one.
  float width = low < high ? high - low : 1e-3F * std::abs(high) + 1e-6F;
  if (!(width < kWidest)) return false;
  threshold = low;
  for (int step = 0; step < kSteps; ++step) {
    const std::size_t reached = count_from(threshold, scores);
    if (reached == keep) return true;
    if (reached < keep && threshold == low) {  // the interval lies too high
      high = low;
      low -= width;
      width *= 2.0F;
      threshold = low;
      continue;
    }
    (reached > keep ? low : high) = threshold;
    threshold = low + 0.5F * (high - low);
  }
  return false;
}

bool select_best_on_target(std::span<const float> scores, std::uint32_t keep,
                           std::uint32_t* places) {
  float threshold = 0.0F;
  if (!find_threshold(scores, keep, threshold)) return false;
  const Vector least = hn::Set(Tag(), threshold);
  for (std::uint32_t i = 0; i < scores.size(); i += static_cast<std::uint32_t>(hn::Lanes(Tag()))) {
    std::uint64_t reached = 0;
    hn::StoreMaskBits(Tag(), hn::Ge(hn::LoadU(Tag(), scores.data() + i), least),
                      reinterpret_cast<std::uint8_t*>(&reached));
    for (; reached != 0; reached &= reached - 1) {
      *places++ = i + static_cast<std::uint32_t>(std::countr_zero(reached));
    }
  }
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace cane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cane {

HWY_EXPORT(select_best_on_target);

bool select_best(std::span<const float> scores, std::uint32_t keep, std::uint32_t* places) {
  return HWY_DYNAMIC_DISPATCH(select_best_on_target)(scores, keep, places);
}

}  // namespace cane
#endif
