// Noises from the proposal `narrow` outside the candidates: a tile by the mass that is left of it,
// then a class of it. Tiles that hold candidates are scored again and add up what is left of them;
// nothing is subtracted, so the law is exact however much of the mass the candidates hold.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "device/plain/narrow.h"

namespace cane::device {

/// Completes the shortlists with noises from p' outside the candidates. An item is an example.
struct DrawFromTiles {
  BatchView batch;
  NarrowLaw law;
  Shortlists lists;
  float* left;  // [batch, candidates] share of a candidate's tile that is outside them

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t example, const Lanes& lanes) const {
    if (!batch.has(example)) return clear_shortlist(lists, example, lanes);
    const std::uint32_t label = batch.labels[example];
    const std::uint32_t label_at = find_label(lists, example, label, lanes);
    if (lanes.owns(0)) lists.label_at[example] = label_at;
    if (lists.noises == 0) return;
    std::uint32_t* noises = lists.of(example) + lists.candidates;
    float* log_q = lists.log_q_of(example);
    const Outside outside = prepare(example, lanes);
    if (label_at == lists.candidates) {
      for (std::uint32_t j = lanes.from(0); j < lists.noises; j += lanes.stride()) {
        noises[j] = j == 0 ? label : kNoRow;
        if (j == 0) log_q[0] = log_q_of(example, label, outside);
      }
      return;
    }
    const CounterRandom random = batch.random();
    const std::uint32_t number = batch.numbers[example];
    for (std::uint32_t j = 0; j < lists.noises; ++j) {
      const bool is_uniform = !outside.has_mass || random.uniform(number, 3 * j) < kUniformShare;
      const double u = random.uniform(number, 3 * j + 1);
      std::uint32_t drawn = kNoRow;
      if (is_uniform && lanes.owns(j)) {
        const std::uint64_t count = law.classes - lists.candidates;
        drawn = class_outside(random.below(count, number, 3 * j + 1), candidates(example));
      } else if (!is_uniform) {
        const float position = static_cast<float>(u) * kBelowOne * outside.mass;
        if (holds_position(position, outside.own, outside.sum, lanes)) {
          drawn = draw(example, outside, position, random.uniform(number, 3 * j + 2));
        }
      }
      if (drawn == kNoRow) continue;
      noises[j] = drawn;
      log_q[j] = log_q_of(example, drawn, outside);
    }
  }

  /// The part of the law outside the candidates; `own` and `sum` are of the lane's tiles.
  struct Outside {
    float high;
    float mass;
    float own;
    RunningSum sum;
    Chunk tiles;
    bool has_mass;
  };

  template <typename Lanes>
  CANE_HOST_DEVICE Outside prepare(std::int64_t example, const Lanes& lanes) const {
    float* shares = left + static_cast<std::uint64_t>(example) * lists.candidates;
    const std::uint32_t* inside = lists.of(example);
    for (std::uint32_t i = lanes.from(0); i < lists.candidates; i += lanes.stride()) {
      const std::uint32_t tile = inside[i] / kTile;
      const TileScores scores(law, example, tile);
      float rest = 0.0F;
      for (std::uint32_t id = tile * kTile; id < law.end_of(tile); ++id) {
        if (!candidates(example).has(id)) rest += scores.values[id - tile * kTile];
      }
      shares[i] = rest / scores.sum;
    }
    lanes.sync();
    Outside outside = {};
    outside.high = -std::numeric_limits<float>::infinity();
    const float* largest = law.largest + static_cast<std::uint64_t>(example) * law.tiles;
    for (std::uint32_t tile = lanes.from(0); tile < law.tiles; tile += lanes.stride()) {
      outside.high = largest[tile] > outside.high ? largest[tile] : outside.high;
    }
    outside.high = lanes.max(outside.high);
    outside.tiles = chunk_of(law.tiles, lanes);
    for (std::uint32_t tile = outside.tiles.begin; tile < outside.tiles.end; ++tile) {
      outside.own += mass_left(example, tile, outside.high);
    }
    outside.sum = lanes.running_sum(outside.own);
    outside.mass = lanes.max(outside.sum.through);
    outside.has_mass = outside.mass > kMinMass;
    return outside;
  }

  /// log q of a class that is not a candidate, by one lane.
  CANE_HOST_DEVICE float log_q_of(std::int64_t example, std::uint32_t id,
                                  const Outside& outside) const {
    const double uniform = 1.0 / static_cast<double>(law.classes - lists.candidates);
    if (!outside.has_mass) return log_mixture(false, 0.0, uniform);
    const std::uint32_t tile = id / kTile;
    const TileScores scores(law, example, tile);
    const double probability = static_cast<double>(law.mass(example, tile, outside.high)) /
                               outside.mass *
                               (static_cast<double>(scores.values[id % kTile]) / scores.sum);
    return log_mixture(true, probability, uniform);
  }

 private:
  CANE_HOST_DEVICE Excluded candidates(std::int64_t example) const {
    return {lists.of(example), lists.candidates};
  }

  CANE_HOST_DEVICE float mass_left(std::int64_t example, std::uint32_t tile, float high) const {
    const std::uint32_t* inside = lists.of(example);
    float share = 1.0F;
    for (std::uint32_t i = 0; i < lists.candidates; ++i) {
      if (inside[i] / kTile == tile) {
        share = left[static_cast<std::uint64_t>(example) * lists.candidates + i];
      }
    }
    return share * law.mass(example, tile, high);
  }

  CANE_HOST_DEVICE std::uint32_t draw(std::int64_t example, const Outside& outside, float position,
                                      double u) const {
    float before = outside.sum.before;
    std::uint32_t chosen = outside.tiles.begin;
    for (std::uint32_t tile = outside.tiles.begin; tile < outside.tiles.end; ++tile) {
      const float mass = mass_left(example, tile, outside.high);
      if (mass > 0.0F) chosen = tile;
      before += mass;
      if (position < before) break;
    }
    const TileScores scores(law, example, chosen);
    const Excluded inside = candidates(example);
    float sum = 0.0F;
    for (std::uint32_t id = chosen * kTile; id < law.end_of(chosen); ++id) {
      if (!inside.has(id)) sum += scores.values[id % kTile];
    }
    float rest = static_cast<float>(u) * kBelowOne * sum;
    std::uint32_t drawn = kNoRow;
    for (std::uint32_t id = chosen * kTile; id < law.end_of(chosen); ++id) {
      if (inside.has(id)) continue;
      const float value = scores.values[id % kTile];
      if (value > 0.0F || drawn == kNoRow) drawn = id;
      if (rest < value) break;
      rest -= value;
    }
    return drawn;
  }
};

}  // namespace cane::device
