#include "kernels/select_best.h"

#include <algorithm>
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

// Copies the scores into slots of `slot` floats, and the largest of every vector of them to
// `maxima`. Padding is below every score, so it is never taken.
HWY_INLINE void CopyScores(std::span<const ScoredChildren> blocks, std::size_t slot, float* copies,
                           float* maxima) {
  const std::size_t lanes = hn::Lanes(Tag());
  const auto lowest = hn::Set(Tag(), std::numeric_limits<float>::lowest());
  for (const ScoredChildren& block : blocks) {
    for (std::size_t child = 0; child < slot; child += lanes) {
      const std::size_t left = block.count > child ? block.count - child : 0;
      Vector scores = Nothing();
      if (left > 0) {
        const Vector loaded = hn::LoadU(Tag(), block.scores + child);
        const Vector numbers = hn::IfThenElse(hn::IsNaN(loaded), lowest, hn::Max(loaded, lowest));
        scores = hn::IfThenElse(hn::FirstN(Tag(), left), numbers, Nothing());
      }
      hn::StoreU(scores, Tag(), copies + child);
      *maxima++ = hn::GetLane(hn::MaxOfLanes(Tag(), scores));
    }
    copies += slot;
  }
}

// Of all places that hold `value`, the one with the lowest tie.
std::size_t LowestTie(float value, const float* values, std::size_t count, std::size_t slot,
                      std::span<const ScoredChildren> blocks) {
  std::size_t best = count;
  for (std::size_t place = 0; place < count; ++place) {
    if (values[place] != value) continue;
    const auto tie = [&](std::size_t at) { return blocks[at / slot].ties[at % slot]; };
    if (best == count || tie(place) < tie(best)) best = place;
  }
  return best;
}

// Scores by vectors, and the largest of each vector, so that taking the largest of all looks at one
// vector only. Vectors are changed as a whole: a scalar store would make the next load wait.
class Pool {
 public:
  Pool(std::span<const ScoredChildren> blocks, std::size_t widest, std::vector<float>& scratch)
      : blocks_(blocks), lanes_(hn::Lanes(Tag())), slot_(whole_vectors(widest)) {
    count_ = slot_ * blocks.size();
    maxima_count_ = whole_vectors(count_ / lanes_);
    if (scratch.size() < count_ + maxima_count_) scratch.resize(count_ + maxima_count_);
    scores_ = scratch.data();
    maxima_ = scores_ + count_;
    CopyScores(blocks, slot_, scores_, maxima_);
    std::fill(maxima_ + count_ / lanes_, maxima_ + maxima_count_,
              -std::numeric_limits<float>::infinity());
  }

  HWY_INLINE Choice take() {
    Vector largest = hn::LoadU(Tag(), maxima_);
    for (std::size_t i = lanes_; i < maxima_count_; i += lanes_) {
      largest = hn::Max(largest, hn::LoadU(Tag(), maxima_ + i));
    }
    largest = hn::MaxOfLanes(Tag(), largest);
    std::size_t equal_maxima = 0;
    std::size_t vector = 0;
    for (std::size_t i = 0; i < maxima_count_; i += lanes_) {
      const auto equal = hn::Eq(largest, hn::LoadU(Tag(), maxima_ + i));
      if (hn::AllFalse(Tag(), equal)) continue;
      equal_maxima += hn::CountTrue(Tag(), equal);
      vector = i + hn::FindKnownFirstTrue(Tag(), equal);
    }
    auto equal = hn::Eq(largest, hn::LoadU(Tag(), scores_ + vector * lanes_));
    std::size_t place = vector * lanes_ + hn::FindKnownFirstTrue(Tag(), equal);
    if (equal_maxima > 1 || hn::CountTrue(Tag(), equal) > 1) {
      place = LowestTie(hn::GetLane(largest), scores_, count_, slot_, blocks_);
      vector = place / lanes_;
      equal = lane_mask(place % lanes_);
    }
    remove(vector, equal);
    const std::size_t block = place / slot_;
    const std::size_t child = place - block * slot_;
    return {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(child),
            blocks_[block].scores[child]};
  }

 private:
  using Mask = hn::Mask<Tag>;

  std::size_t whole_vectors(std::size_t floats) const {
    return (floats + lanes_ - 1) / lanes_ * lanes_;
  }

  HWY_INLINE static Mask lane_mask(std::size_t lane) {
    return hn::Eq(hn::Iota(Tag(), 0.0F), hn::Set(Tag(), static_cast<float>(lane)));
  }

  HWY_INLINE void remove(std::size_t vector, Mask lane) {
    float* scores = scores_ + vector * lanes_;
    const Vector rest = hn::IfThenElse(lane, Nothing(), hn::LoadU(Tag(), scores));
    hn::StoreU(rest, Tag(), scores);
    float* maxima = maxima_ + vector / lanes_ * lanes_;
    hn::StoreU(hn::IfThenElse(lane_mask(vector % lanes_), hn::MaxOfLanes(Tag(), rest),
                              hn::LoadU(Tag(), maxima)),
               Tag(), maxima);
  }

  std::span<const ScoredChildren> blocks_;
  std::size_t lanes_;
  std::size_t slot_;
  std::size_t count_ = 0;
  std::size_t maxima_count_ = 0;
  float* scores_ = nullptr;
  float* maxima_ = nullptr;
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
  for (std::uint32_t i = 0; i < keep; ++i) choices[i] = pool.take();
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
