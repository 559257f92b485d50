// From what a proposal proposes to candidates: the best by the full score, in ascending order of
// the classes.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "device/plain/lanes.h"
#include "device/plain/shortlist.h"

namespace cane::device {

// The best of many values: finds the value that exactly this many reach, bit by bit from the top,
// and then lists those that reach it. Ties go to the lower place; the list ascends. Any number of
// lanes gives the same result.

/// A number that orders as the float does.
CANE_HOST_DEVICE inline std::uint32_t order_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

/// Writes the places of the `keep` best of `count` values, keep <= count < 2^24.
template <typename Lanes>
CANE_HOST_DEVICE void select_best(const float* values, std::uint32_t count, std::uint32_t keep,
                                  std::uint32_t* places, const Lanes& lanes) {
  const auto count_from = [&](std::uint32_t least) {
    float reach = 0.0F;
    for (std::uint32_t i = lanes.from(0); i < count; i += lanes.stride()) {
      reach += order_of(values[i]) >= least ? 1.0F : 0.0F;
    }
    return static_cast<std::uint32_t>(lanes.sum(reach));
  };
  std::uint32_t least = 0;
  for (std::uint32_t bit = 0x80000000U; bit != 0; bit >>= 1) {
    if (count_from(least | bit) >= keep) least |= bit;
  }
  const std::uint32_t above = least == 0xFFFFFFFFU ? 0 : count_from(least + 1);
  const std::uint32_t equal = keep - above;

  const Chunk own = chunk_of(count, lanes);
  float better = 0.0F;
  float ties = 0.0F;
  for (std::uint32_t i = own.begin; i < own.end; ++i) {
    const std::uint32_t order = order_of(values[i]);
    better += order > least ? 1.0F : 0.0F;
    ties += order == least ? 1.0F : 0.0F;
  }
  auto better_before = static_cast<std::uint32_t>(lanes.running_sum(better).before);
  auto ties_before = static_cast<std::uint32_t>(lanes.running_sum(ties).before);
  for (std::uint32_t i = own.begin; i < own.end; ++i) {
    const std::uint32_t order = order_of(values[i]);
    if (order < least) continue;
    const std::uint32_t taken = ties_before < equal ? ties_before : equal;
    if (order > least) {
      places[better_before++ + taken] = i;
    } else if (ties_before++ < equal) {
      places[better_before + taken] = i;
    }
  }
  lanes.sync();
}

/// What is proposed for each example, with scores.
struct Proposed {
  std::uint32_t beam = 0;
  std::uint32_t* classes = nullptr;  // [batch, beam]
  float* scores = nullptr;           // [batch, beam]
};

/// q of a noise of a proposal: its law outside the candidates, mixed with a uniform share. With
/// `has_mass` false the law has underflowed there, and noises are uniform.
CANE_HOST_DEVICE inline float log_mixture(bool has_mass, double probability, double uniform) {
  if (!has_mass) return static_cast<float>(std::log(uniform));
  return static_cast<float>(
      std::log((1.0 - kUniformShare) * probability + kUniformShare * uniform));
}
/// Smaller mass outside the candidates is treated as rounding error, as on the CPU.
inline constexpr float kMinMass = 1e-30F;
/// A draw below one may round up to it; this keeps the position inside the mass.
inline constexpr float kBelowOne = 1.0F - 0x1p-20F;

/// An item is an example.
struct KeepCandidates {
  BatchView batch;
  Proposed proposed;
  Shortlists lists;
  float* values;          // [batch, lists.size()]: the scores of the candidates are kept
  std::uint32_t* places;  // [batch, beam] scratch

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t example, const Lanes& lanes) const {
    if (!batch.has(example)) return clear_shortlist(lists, example, lanes);
    const std::uint64_t start = static_cast<std::uint64_t>(example) * proposed.beam;
    const std::uint32_t* classes = proposed.classes + start;
    std::uint32_t* best = places + start;
    const std::uint32_t keep = lists.candidates;
    select_best(proposed.scores + start, proposed.beam, keep, best, lanes);
    for (std::uint32_t i = lanes.from(0); i < keep; i += lanes.stride()) {
      std::uint32_t rank = 0;
      for (std::uint32_t k = 0; k < keep; ++k) rank += classes[best[k]] < classes[best[i]] ? 1 : 0;
      lists.of(example)[rank] = classes[best[i]];
      values[static_cast<std::uint64_t>(example) * lists.size() + rank] =
          proposed.scores[start + best[i]];
    }
  }
};

/// Scores the noises; the scores of the candidates are there. An item is a place for a noise.
struct ScoreNoise {
  Rows inputs;
  RowTable table;
  Shortlists lists;
  float* values;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t item, const Lanes& lanes) const {
    const std::int64_t example = item / lists.noises;
    const std::uint32_t place = lists.candidates + static_cast<std::uint32_t>(item % lists.noises);
    const std::uint32_t id = lists.of(example)[place];
    if (id == kNoRow) return;
    const float score = dot(inputs, example, table.row(id), lanes);
    if (lanes.owns(0)) values[static_cast<std::uint64_t>(example) * lists.size() + place] = score;
  }
};

}  // namespace cane::device
