// The proposal `tree`: a softmax at every node of the class tree over projected inputs; p'(k | x)
// is the product along the path. The best classes are found by a beam search. A leaf that is
// reached before the last level stays in the beam as it is.
//
// An example scores beam x arity rows of rank r at each level: 27 x 32 rows of 132 bytes at
// r = 32, 114 kB, four times at K = 10^6. That is 0.5 MB, about 0.1 us of an H200's memory; noises
// and learning add as much again.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "device/plain/candidates.h"
#include "device/plain/tree_view.h"

namespace cane::device {

struct TreeLaw {
  TreeView tree;
  RowTable table;  // [nodes, rank + 1]
  Rows inputs;     // projected, dense

  CANE_HOST_DEVICE float score(std::int64_t example, std::uint32_t node) const {
    return dot(inputs, example, table.row(node), OneLane{});
  }
};

struct SearchScratch {
  std::uint32_t* nodes = nullptr;   // [batch, beam]
  float* bases = nullptr;           // [batch, beam] log p' of these nodes
  float* scores = nullptr;          // [batch, beam * arity] of their children
  std::uint32_t* places = nullptr;  // [batch, beam]
  std::uint32_t* next = nullptr;    // [batch, beam]
};

/// Proposes the best classes. An item is an example.
struct SearchTree {
  BatchView batch;
  TreeLaw law;
  Proposed proposed;
  SearchScratch scratch;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t example, const Lanes& lanes) const {
    const auto at = static_cast<std::uint64_t>(example);
    const std::uint32_t beam = proposed.beam;
    std::uint32_t* classes = proposed.classes + at * beam;
    if (!batch.has(example)) {
      for (std::uint32_t i = lanes.from(0); i < beam; i += lanes.stride()) classes[i] = kNoRow;
      return;
    }
    std::uint32_t* nodes = scratch.nodes + at * beam;
    float* bases = scratch.bases + at * beam;
    if (lanes.owns(0)) {
      nodes[0] = 0;
      bases[0] = 0.0F;
    }
    lanes.sync();
    std::uint32_t width = 1;
    for (std::uint32_t level = 0; level < law.tree.depth; ++level) {
      width = expand(example, nodes, bases, width, lanes);
    }
    for (std::uint32_t i = lanes.from(0); i < width; i += lanes.stride()) {
      classes[i] = law.tree.leaf_classes[nodes[i]];
    }
  }

 private:
  // Replaces the nodes of the beam by the best of their children; returns how many there are.
  template <typename Lanes>
  CANE_HOST_DEVICE std::uint32_t expand(std::int64_t example, std::uint32_t* nodes, float* bases,
                                        std::uint32_t width, const Lanes& lanes) const {
    const TreeView& tree = law.tree;
    const std::uint32_t arity = tree.arity;
    const auto at = static_cast<std::uint64_t>(example) * proposed.beam;
    float* scores = scratch.scores + at * arity;
    for (std::uint32_t slot = lanes.from(0); slot < width * arity; slot += lanes.stride()) {
      const std::uint32_t node = nodes[slot / arity];
      const std::uint32_t child = slot % arity;
      if (child < tree.child_counts[node]) {
        scores[slot] = law.score(example, tree.first_children[node] + child);
      } else {
        const bool stays = tree.is_leaf(node) && child == 0;
        scores[slot] = stays ? bases[slot / arity] : -std::numeric_limits<float>::infinity();
      }
    }
    lanes.sync();
    float found = 0.0F;
    for (std::uint32_t i = lanes.from(0); i < width; i += lanes.stride()) {
      const std::uint32_t children = tree.child_counts[nodes[i]];
      found += children == 0 ? 1.0F : static_cast<float>(children);
      if (children > 0) normalize(scores + i * arity, children, bases[i]);
    }
    const auto all = static_cast<std::uint32_t>(lanes.sum(found));
    const std::uint32_t kept = all < proposed.beam ? all : proposed.beam;
    lanes.sync();
    std::uint32_t* places = scratch.places + at;
    std::uint32_t* next = scratch.next + at;
    select_best(scores, width * arity, kept, places, lanes);
    for (std::uint32_t i = lanes.from(0); i < kept; i += lanes.stride()) {
      const std::uint32_t node = nodes[places[i] / arity];
      next[i] = tree.is_leaf(node) ? node : tree.first_children[node] + places[i] % arity;
    }
    lanes.sync();
    for (std::uint32_t i = lanes.from(0); i < kept; i += lanes.stride()) {
      nodes[i] = next[i];
      bases[i] = scores[places[i]];
    }
    lanes.sync();
    return kept;
  }

  // Scores of siblings become log-probabilities, given that of their parent.
  CANE_HOST_DEVICE static void normalize(float* scores, std::uint32_t count, float base) {
    float high = scores[0];
    for (std::uint32_t c = 1; c < count; ++c) high = scores[c] > high ? scores[c] : high;
    float sum = 0.0F;
    for (std::uint32_t c = 0; c < count; ++c) sum += std::exp(scores[c] - high);
    const float shift = base - high - std::log(sum);
    // Absent children are minus infinity, those that are there must stay above.
    for (std::uint32_t c = 0; c < count; ++c) {
      const float value = scores[c] + shift;
      constexpr float kLowest = std::numeric_limits<float>::lowest();
      scores[c] = value > kLowest ? value : kLowest;
    }
  }
};

}  // namespace cane::device
