// Loads weights from memory in any storage type: floats directly, narrower numbers widened on the
// fly and scaled. Compiled once for every instruction set, only from the kernels.

#if defined(CANE_LOAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANE_LOAD_INL_H_
#undef CANE_LOAD_INL_H_
#else
#define CANE_LOAD_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "core/base/half.h"

HWY_BEFORE_NAMESPACE();
namespace cane {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Tag>
HWY_INLINE hn::Vec<Tag> load_weights(Tag tag, const float* from) {
  return hn::LoadU(tag, from);
}

template <class Tag>
HWY_INLINE hn::Vec<Tag> load_weights(Tag tag, const std::int8_t* from) {
  const hn::Rebind<std::int8_t, Tag> bytes;
  const hn::Rebind<std::int32_t, Tag> wide;
  return hn::ConvertTo(tag, hn::PromoteTo(wide, hn::LoadU(bytes, from)));
}

template <class Tag>
HWY_INLINE hn::Vec<Tag> load_weights(Tag tag, const Half* from) {
  const hn::Rebind<std::uint16_t, Tag> bits;
  const hn::Rebind<hwy::float16_t, Tag> halves;
  const auto loaded = hn::LoadU(bits, reinterpret_cast<const std::uint16_t*>(from));
  return hn::PromoteTo(tag, hn::BitCast(halves, loaded));
}

// Scaling of a block that is not stored as floats: none, one factor per column, or one per feature.
enum class ScaledBy { kNothing, kColumn, kFeature };

// A block to score with: rows of `stride` weights, and a bias for every column.
template <typename Weight, ScaledBy kScaledBy>
struct BlockSource {
  static constexpr bool kScalesColumns = kScaledBy == ScaledBy::kColumn;

  const Weight* weights;
  const float* biases;
  const float* scales;

  HWY_INLINE BlockSource from(std::uint32_t column) const {
    // A block without features may have no weights to point at.
    return {weights == nullptr ? nullptr : weights + column, biases + column,
            kScalesColumns ? scales + column : scales};
  }
  HWY_INLINE float value(std::size_t feature, float x) const {
    if constexpr (kScaledBy == ScaledBy::kFeature) return x * scales[feature];
    return x;
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace cane
HWY_AFTER_NAMESPACE();

#endif
