#include "kernels/select_best.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/select_best.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cane {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Copies the scores into slots of `slot` floats. Padding is below every score, so it is never
// taken.
void CopyScores(std::span<const ScoredChildren> blocks, std::size_t slot, float* copies) {
  const hn::ScalableTag<float> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto lowest = hn::Set(tag, std::numeric_limits<float>::lowest());
  for (const ScoredChildren& block : blocks) {
    std::size_t child = 0;
    for (; child + lanes <= block.count; child += lanes) {
      const auto scores = hn::LoadU(tag, block.scores + child);
      const auto numbers = hn::IfThenElse(hn::IsNaN(scores), lowest, hn::Max(scores, lowest));
      hn::StoreU(numbers, tag, copies + child);
    }
    for (; child < block.count; ++child) {
      const float score = block.scores[child];
      copies[child] = score > std::numeric_limits<float>::lowest()
                          ? score
                          : std::numeric_limits<float>::lowest();
    }
    std::fill(copies + child, copies + slot, -std::numeric_limits<float>::infinity());
    copies += slot;
  }
}

float Largest(const float* values, std::size_t count) {
  const hn::ScalableTag<float> tag;
  const std::size_t lanes = hn::Lanes(tag);
  auto largest = hn::LoadU(tag, values);
  for (std::size_t i = lanes; i < count; i += lanes) {
    largest = hn::Max(largest, hn::LoadU(tag, values + i));
  }
  return hn::GetLane(hn::MaxOfLanes(tag, largest));
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

// The place of `value` if it stands there once, `count` if more often.
std::size_t OnlyPlaceOf(float value, const float* values, std::size_t count) {
  const hn::ScalableTag<float> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto wanted = hn::Set(tag, value);
  std::size_t place = 0;
  std::size_t places = 0;
  for (std::size_t i = 0; i < count; i += lanes) {
    const auto equal = hn::Eq(wanted, hn::LoadU(tag, values + i));
    if (hn::AllFalse(tag, equal)) continue;
    place = i + hn::FindKnownFirstTrue(tag, equal);
    places += hn::CountTrue(tag, equal);
  }
  return places == 1 ? place : count;
}

std::uint32_t SelectBest(std::span<const ScoredChildren> blocks, std::uint32_t keep,
                         std::vector<float>& scratch, Choice* choices) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<float>());
  const auto whole_vectors = [lanes](std::size_t floats) {
    return (floats + lanes - 1) / lanes * lanes;
  };
  std::size_t widest = 0;
  std::uint32_t children = 0;
  for (const ScoredChildren& block : blocks) {
    widest = std::max<std::size_t>(widest, block.count);
    children += block.count;
  }
  const std::size_t slot = whole_vectors(widest);
  const std::size_t count = slot * blocks.size();
  const std::size_t vectors = count / lanes;
  const std::size_t padded_vectors = whole_vectors(vectors);
  if (scratch.size() < count + padded_vectors) scratch.resize(count + padded_vectors);
  float* scores = scratch.data();
  float* maxima = scores + count;  // of each vector of scores
  CopyScores(blocks, slot, scores);
  for (std::size_t v = 0; v < vectors; ++v) maxima[v] = Largest(scores + v * lanes, lanes);
  std::fill(maxima + vectors, maxima + padded_vectors, -std::numeric_limits<float>::infinity());

  const std::uint32_t chosen = std::min(keep, children);
  for (std::uint32_t i = 0; i < chosen; ++i) {
    const float largest = Largest(maxima, padded_vectors);
    std::size_t vector = OnlyPlaceOf(largest, maxima, padded_vectors);
    std::size_t place = vector == padded_vectors
                            ? padded_vectors
                            : vector * lanes + OnlyPlaceOf(largest, scores + vector * lanes, lanes);
    if (vector == padded_vectors || place == (vector + 1) * lanes) {
      place = LowestTie(largest, scores, count, slot, blocks);
      vector = place / lanes;
    }
    const auto block = static_cast<std::uint32_t>(place / slot);
    const auto child = static_cast<std::uint32_t>(place % slot);
    choices[i] = {block, child, blocks[block].scores[child]};
    scores[place] = -std::numeric_limits<float>::infinity();
    maxima[vector] = Largest(scores + vector * lanes, lanes);
  }
  return chosen;
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
