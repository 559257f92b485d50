// The proposal `narrow`: a softmax of low rank over all classes, p'(k | x). Its B x K scores are
// never kept: a block of classes is a product, of which each tile of 64 classes leaves its largest
// score and its mass. The best classes are in the tiles with the largest scores, whose scores are
// computed again; a noise is a tile by its mass and then a class in it. So
//   p'(k) = mass of its tile / mass of all tiles x e^s_k / sum over the tile,
// which is the exact law of the draws, however the product rounds.
//
// An example of K classes at rank r is a product of 2 K (r + 1) operations, of which 4 K bytes are
// written and read once, and 64 (beam + noises) rows of 4 (r + 1) bytes: at K = 10^5, r = 32, a
// beam of 27 and 10 noises 6.6 MFLOP and 1.1 MB, 0.3 us at the limits of an H200. Learning from a
// quarter of the examples adds three products of them.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "device/plain/candidates.h"

namespace cane::device {

inline constexpr std::uint32_t kTile = 64;

struct NarrowLaw {
  RowTable table;  // [classes, rank + 1]
  Rows inputs;     // projected, dense
  std::uint32_t classes = 0;
  std::uint32_t tiles = 0;
  float* largest = nullptr;  // [batch, tiles]
  float* masses = nullptr;   // [batch, tiles] relative to the largest of the tile

  CANE_HOST_DEVICE std::uint32_t end_of(std::uint32_t tile) const {
    const std::uint32_t end = (tile + 1) * kTile;
    return end < classes ? end : classes;
  }
  /// By one lane.
  CANE_HOST_DEVICE float score(std::int64_t example, std::uint32_t id) const {
    return dot(inputs, example, table.row(id), OneLane{});
  }
  /// The mass of a tile, relative to `high`, which is no less than all `largest`.
  CANE_HOST_DEVICE float mass(std::int64_t example, std::uint32_t tile, float high) const {
    const std::uint64_t at = static_cast<std::uint64_t>(example) * tiles + tile;
    return masses[at] * std::exp(largest[at] - high);
  }
};

/// The scores of a tile's classes relative to the largest, computed again by one lane.
struct TileScores {
  float values[kTile];
  float sum;

  CANE_HOST_DEVICE TileScores(const NarrowLaw& law, std::int64_t example, std::uint32_t tile) {
    const std::uint32_t count = law.end_of(tile) - tile * kTile;
    float high = -std::numeric_limits<float>::infinity();
    for (std::uint32_t i = 0; i < count; ++i) {
      values[i] = law.score(example, tile * kTile + i);
      high = values[i] > high ? values[i] : high;
    }
    sum = 0.0F;
    for (std::uint32_t i = 0; i < count; ++i) {
      values[i] = std::exp(values[i] - high);
      sum += values[i];
    }
  }
};

/// An item is a tile of a block of classes, for one example.
struct SumTile {
  NarrowLaw law;
  const float* scores;  // [batch, pitch] of the block
  std::uint64_t pitch;
  std::uint32_t first_tile;
  std::uint32_t block_tiles;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t item, const Lanes& lanes) const {
    const std::int64_t example = item / block_tiles;
    const auto place = static_cast<std::uint32_t>(item % block_tiles);
    const std::uint32_t tile = first_tile + place;
    const std::uint32_t count = law.end_of(tile) - tile * kTile;
    const float* own = scores + static_cast<std::uint64_t>(example) * pitch + place * kTile;
    float high = -std::numeric_limits<float>::infinity();
    for (std::uint32_t i = lanes.from(0); i < count; i += lanes.stride()) {
      high = own[i] > high ? own[i] : high;
    }
    high = lanes.max(high);
    float sum = 0.0F;
    for (std::uint32_t i = lanes.from(0); i < count; i += lanes.stride()) {
      sum += std::exp(own[i] - high);
    }
    sum = lanes.sum(sum);
    if (!lanes.owns(0)) return;
    const std::uint64_t at = static_cast<std::uint64_t>(example) * law.tiles + tile;
    law.largest[at] = high;
    law.masses[at] = sum;
  }
};

/// Proposes the best classes. An item is an example.
struct ProposeFromTiles {
  BatchView batch;
  NarrowLaw law;
  Proposed proposed;
  std::uint32_t* tiles;   // [batch, beam] scratch
  float* scores;          // [batch, beam * kTile] scratch
  std::uint32_t* places;  // [batch, beam] scratch

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t example, const Lanes& lanes) const {
    const auto at = static_cast<std::uint64_t>(example);
    std::uint32_t* classes = proposed.classes + at * proposed.beam;
    if (!batch.has(example)) {
      for (std::uint32_t i = lanes.from(0); i < proposed.beam; i += lanes.stride()) {
        classes[i] = kNoRow;
      }
      return;
    }
    const std::uint32_t kept = proposed.beam < law.tiles ? proposed.beam : law.tiles;
    std::uint32_t* best_tiles = tiles + at * proposed.beam;
    select_best(law.largest + at * law.tiles, law.tiles, kept, best_tiles, lanes);
    float* own = scores + at * proposed.beam * kTile;
    for (std::uint32_t i = lanes.from(0); i < kept * kTile; i += lanes.stride()) {
      const std::uint32_t id = best_tiles[i / kTile] * kTile + i % kTile;
      own[i] = id < law.classes ? law.score(example, id) : -std::numeric_limits<float>::infinity();
    }
    lanes.sync();
    std::uint32_t* best = places + at * proposed.beam;
    select_best(own, kept * kTile, proposed.beam, best, lanes);
    for (std::uint32_t i = lanes.from(0); i < proposed.beam; i += lanes.stride()) {
      classes[i] = best_tiles[best[i] / kTile] * kTile + best[i] % kTile;
    }
  }
};

}  // namespace cane::device
