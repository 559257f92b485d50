#include "core/simd/select_best.h"

#include <bit>
#include <cmath>

#include "core/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/simd/select_best.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cane {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, kSelectMultiple>;
using Vector = hn::Vec<Tag>;

constexpr int kSteps = 24;
constexpr float kMaxWidth = 1e30F;  // beyond, halving an interval could overflow

HWY_INLINE std::size_t count_from(float threshold, std::span<const float> scores) {
  const Vector least = hn::Set(Tag(), threshold);
  std::size_t reached = 0;
  for (std::size_t i = 0; i < scores.size(); i += hn::Lanes(Tag())) {
    reached += hn::CountTrue(Tag(), hn::Ge(hn::LoadU(Tag(), scores.data() + i), least));
  }
  return reached;
}

// Looks for a threshold that from `least` to `most` scores reach, by halving an interval. Fails
// where equal scores, or scores too close to tell apart in a few steps, make the cut.
HWY_INLINE bool find_threshold(std::span<const float> scores, std::uint32_t least,
                               std::uint32_t most, float& threshold) {
  // Maximum of every lane: at least as many scores as there are lanes reach the smallest of these.
  Vector lane_largest = hn::LoadU(Tag(), scores.data());
  for (std::size_t i = hn::Lanes(Tag()); i < scores.size(); i += hn::Lanes(Tag())) {
    lane_largest = hn::Max(lane_largest, hn::LoadU(Tag(), scores.data() + i));
  }
  float high = hn::GetLane(hn::MaxOfLanes(Tag(), lane_largest));
  if (most == 1) {
    threshold = high;
    return count_from(threshold, scores) == 1;
  }
  // A lane that holds only padding gives no information.
  const Vector largest = hn::Set(Tag(), high);
  const auto is_padding = hn::Eq(lane_largest, hn::Neg(hn::Inf(Tag())));
  float low = hn::GetLane(hn::MinOfLanes(Tag(), hn::IfThenElse(is_padding, largest, lane_largest)));
  // A single lane gives no interval: begin with a narrow one.
  float width = low < high ? high - low : 1e-3F * std::abs(high) + 1e-6F;
  if (!(width < kMaxWidth)) return false;
  threshold = low;
  for (int step = 0; step < kSteps; ++step) {
    const std::size_t reached = count_from(threshold, scores);
    if (reached >= least && reached <= most) return true;
    if (reached < least && threshold == low) {  // the interval lies too high
      high = low;
      low -= width;
      width *= 2.0F;
      threshold = low;
      continue;
    }
    (reached > most ? low : high) = threshold;
    threshold = low + 0.5F * (high - low);
  }
  return false;
}

std::uint32_t select_about_on_target(std::span<const float> scores, std::uint32_t least,
                                     std::uint32_t most, std::uint32_t* places) {
  float threshold = 0.0F;
  if (!find_threshold(scores, least, most, threshold)) return 0;
  const Vector lowest = hn::Set(Tag(), threshold);
  const std::uint32_t* const begin = places;
  for (std::uint32_t i = 0; i < scores.size(); i += static_cast<std::uint32_t>(hn::Lanes(Tag()))) {
    std::uint64_t reached = 0;
    hn::StoreMaskBits(Tag(), hn::Ge(hn::LoadU(Tag(), scores.data() + i), lowest),
                      reinterpret_cast<std::uint8_t*>(&reached));
    for (; reached != 0; reached &= reached - 1) {
      *places++ = i + static_cast<std::uint32_t>(std::countr_zero(reached));
    }
  }
  return static_cast<std::uint32_t>(places - begin);
}

}  // namespace HWY_NAMESPACE
}  // namespace cane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cane {

HWY_EXPORT(select_about_on_target);

bool select_best(std::span<const float> scores, std::uint32_t keep, std::uint32_t* places) {
  return select_approximately(scores, keep, keep, places) == keep;
}

std::uint32_t select_approximately(std::span<const float> scores, std::uint32_t least,
                                   std::uint32_t most, std::uint32_t* places) {
  return HWY_DYNAMIC_DISPATCH(select_about_on_target)(scores, least, most, places);
}

}  // namespace cane
#endif
