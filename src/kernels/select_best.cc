#include "kernels/select_best.h"

#include <algorithm>
#include <bit>
#include <limits>

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

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

HWY_INLINE Vector Nothing() {
  return hn::Set(Tag(), -std::numeric_limits<float>::infinity());
}

// Copies the scores into slots of `slot` floats. Padding is below every score, so it is never
// taken.
HWY_INLINE void CopyScores(std::span<const ScoredChildren> blocks, std::size_t slot,
                           float* copies) {
  const std::size_t lanes = hn::Lanes(Tag());
  const auto lowest = hn::Set(Tag(), std::numeric_limits<float>::lowest());
  for (const ScoredChildren& block : blocks) {
    for (std::size_t child = 0; child < slot; child += lanes) {
      const std::size_t left = block.count > child ? block.count - child : 0;
      Vector scores = Nothing();
      if (left > 0) {
        const Vector loaded = hn::LoadU(Tag(), block.scores + child);
        scores = hn::IfThenElse(hn::IsNaN(loaded), lowest, hn::Max(loaded, lowest));
        if (left < lanes) scores = hn::IfThenElse(hn::FirstN(Tag(), left), scores, Nothing());
      }
      hn::StoreU(scores, Tag(), copies + child);
    }
    copies += slot;
  }
}

// The largest of some whole vectors, in every lane.
HWY_INLINE Vector Largest(const float* values, std::size_t count) {
  const std::size_t lanes = hn::Lanes(Tag());
  Vector largest = hn::LoadU(Tag(), values);
  for (std::size_t i = lanes; i < count; i += lanes) {
    largest = hn::Max(largest, hn::LoadU(Tag(), values + i));
  }
  return hn::MaxOfLanes(Tag(), largest);
}

struct Found {
  std::size_t place;  // the last of them
  std::size_t count;
};

// Where in some whole vectors `value` (in every lane) stands.
HWY_INLINE Found Find(Vector value, const float* values, std::size_t count) {
  const std::size_t lanes = hn::Lanes(Tag());
  Found found = {0, 0};
  for (std::size_t i = 0; i < count; i += lanes) {
    const auto equal = hn::Eq(value, hn::LoadU(Tag(), values + i));
    if (hn::AllFalse(Tag(), equal)) continue;
    found.place = i + hn::FindKnownFirstTrue(Tag(), equal);
    found.count += hn::CountTrue(Tag(), equal);
  }
  return found;
}

// The scores of all blocks, side by side.
class Pool {
 public:
  Pool(std::span<const ScoredChildren> blocks, std::size_t widest, std::vector<float>& scratch)
      : blocks_(blocks), lanes_(hn::Lanes(Tag())) {
    // A power of two, so that a place is split into block and child without a division.
    const std::size_t slot = std::bit_ceil(std::max(widest, lanes_));
    slot_bits_ = std::countr_zero(slot);
    count_ = slot * blocks.size();
    if (scratch.size() < count_) scratch.resize(count_);
    scores_ = scratch.data();
    CopyScores(blocks, slot, scores_);
  }

  /// The best of all.
  HWY_INLINE Choice best() const {
    const Vector largest = Largest(scores_, count_);
    const Found found = Find(largest, scores_, count_);
    return choice(found.count == 1 ? found.place : lowest_tie(hn::GetLane(largest)));
  }

  /// The best `keep`, fewer than there are.
  void best(std::uint32_t keep, Choice* choices) {
    float threshold = 0.0F;
    if (find_threshold(keep, threshold)) {
      take_from(threshold, choices);
    } else {
      for (std::uint32_t i = 0; i < keep; ++i) choices[i] = take();
    }
  }

 private:
  // Looks for a threshold that exactly `keep` scores reach, by halving an interval. Fails where
  // equal scores, or scores too close to tell apart in a few steps, make the cut.
  HWY_INLINE bool find_threshold(std::uint32_t keep, float& threshold) const {
    // Every lane's largest: as many scores as there are lanes reach the least of these.
    Vector lane_largest = hn::LoadU(Tag(), scores_);
    for (std::size_t i = lanes_; i < count_; i += lanes_) {
      lane_largest = hn::Max(lane_largest, hn::LoadU(Tag(), scores_ + i));
    }
    float high = hn::GetLane(hn::MaxOfLanes(Tag(), lane_largest));
    float low = hn::GetLane(hn::MinOfLanes(Tag(), lane_largest));
    const float width = high - low;
    if (!(width > 0.0F && width < kWidest)) return false;
    threshold = low;
    for (int step = 0; step < kSteps; ++step) {
      const std::size_t reached = count_from(threshold);
      if (reached == keep) return true;
      if (reached > keep) {
        low = threshold;
      } else if (threshold == low) {
        high = low;
        low -= width;
        threshold = low;
        continue;
      } else {
        high = threshold;
      }
      threshold = low + 0.5F * (high - low);
    }
    return false;
  }

  HWY_INLINE std::size_t count_from(float threshold) const {
    const Vector least = hn::Set(Tag(), threshold);
    std::size_t reached = 0;
    for (std::size_t i = 0; i < count_; i += lanes_) {
      reached += hn::CountTrue(Tag(), hn::Ge(hn::LoadU(Tag(), scores_ + i), least));
    }
    return reached;
  }

  HWY_INLINE void take_from(float threshold, Choice* choices) const {
    const Vector least = hn::Set(Tag(), threshold);
    for (std::size_t i = 0; i < count_; i += lanes_) {
      std::uint64_t reached = 0;
      hn::StoreMaskBits(Tag(), hn::Ge(hn::LoadU(Tag(), scores_ + i), least),
                        reinterpret_cast<std::uint8_t*>(&reached));
      for (; reached != 0; reached &= reached - 1) {
        *choices++ = choice(i + static_cast<std::size_t>(std::countr_zero(reached)));
      }
    }
  }

  // Takes the best of what is left, the lower tie on equal scores.
  Choice take() {
    const std::size_t place = lowest_tie(hn::GetLane(Largest(scores_, count_)));
    scores_[place] = -std::numeric_limits<float>::infinity();
    return choice(place);
  }

  // Of all places that hold `score`, the one with the lowest tie.
  std::size_t lowest_tie(float score) const {
    const auto tie = [&](std::size_t place) {
      return blocks_[place >> slot_bits_].ties[place & slot_mask()];
    };
    std::size_t best = count_;
    for (std::size_t place = 0; place < count_; ++place) {
      if (scores_[place] == score && (best == count_ || tie(place) < tie(best))) best = place;
    }
    return best;
  }

  HWY_INLINE Choice choice(std::size_t place) const {
    const std::size_t block = place >> slot_bits_;
    const std::size_t child = place & slot_mask();
    return {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(child),
            blocks_[block].scores[child]};
  }

  std::size_t slot_mask() const { return (std::size_t{1} << slot_bits_) - 1; }

  std::span<const ScoredChildren> blocks_;
  std::size_t lanes_;
  static constexpr int kSteps = 24;
  static constexpr float kWidest = 1e30F;  // beyond, halving would overflow

  int slot_bits_ = 0;
  std::size_t count_ = 0;
  float* scores_ = nullptr;
};

std::uint32_t SelectBest(std::span<const ScoredChildren> blocks, std::uint32_t keep,
                         std::vector<float>& scratch, Choice* choices) {
  std::uint32_t widest = 0;
  std::uint32_t children = 0;
  for (const ScoredChildren& block : blocks) {
    widest = std::max(widest, block.count);
    children += block.count;
  }
  if (children <= keep) {
    for (std::uint32_t block = 0; block < blocks.size(); ++block) {
      for (std::uint32_t child = 0; child < blocks[block].count; ++child) {
        *choices++ = {block, child, blocks[block].scores[child]};
      }
    }
    return children;
  }
  Pool pool(blocks, widest, scratch);
  if (keep == 1) {
    *choices = pool.best();
  } else {
    pool.best(keep, choices);
  }
  return keep;
}

}  // namespace HWY_NAMESPACE
}  // namespace cane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cane {

HWY_EXPORT(SelectBest);

std::uint32_t select_best(std::span<const ScoredChildren> blocks, std::uint32_t keep,
                          std::vector<float>& scratch, Choice* choices) {
  return HWY_DYNAMIC_DISPATCH(SelectBest)(blocks, keep, scratch, choices);
}

}  // namespace cane
#endif
