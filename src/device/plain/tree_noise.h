// Noises from the proposal `tree` outside the candidates, as the CPU draws them
// (search/outside_tree.h): for every node above a candidate the mass of each child that is left;
// all other nodes are as they were. Nothing is subtracted, so the law is exact however much of the
// mass the candidates hold.
#pragma once

#include <cmath>
#include <cstdint>

#include "device/plain/tree_search.h"

namespace cane::device {

struct OutsideTrees {
  std::uint32_t capacity = 0;       // nodes of an example: candidates x depth
  std::uint32_t* counts = nullptr;  // [batch]
  std::uint32_t* nodes = nullptr;   // [batch, capacity]
  std::uint32_t* depths = nullptr;  // [batch, capacity]
  float* left = nullptr;            // [batch, capacity, arity]
  float* masses = nullptr;          // [batch, capacity] sums of `left`

  /// The place of a node in the list of an example, or its length.
  CANE_HOST_DEVICE std::uint32_t find(std::int64_t example, std::uint32_t node) const {
    const std::uint32_t* own = nodes + static_cast<std::uint64_t>(example) * capacity;
    std::uint32_t place = 0;
    while (place < counts[example] && own[place] != node) ++place;
    return place;
  }
  CANE_HOST_DEVICE float* left_of(std::int64_t example, std::uint32_t place,
                                  std::uint32_t arity) const {
    return left + (static_cast<std::uint64_t>(example) * capacity + place) * arity;
  }
};

/// exp(scores) of a node's children divided by their sum, into `out`. All lanes see it.
template <typename Lanes>
CANE_HOST_DEVICE void child_probabilities(const TreeLaw& law, std::int64_t example,
                                          std::uint32_t node, float* out, const Lanes& lanes) {
  const std::uint32_t count = law.tree.child_counts[node];
  const std::uint32_t first = law.tree.first_children[node];
  for (std::uint32_t c = lanes.from(0); c < count; c += lanes.stride()) {
    out[c] = law.score(example, first + c);
  }
  const ExponentialSum total = exponentiate(out, count, lanes);
  for (std::uint32_t c = lanes.from(0); c < count; c += lanes.stride()) out[c] /= total.sum;
  lanes.sync();
}

/// An item is an example.
struct PrepareOutside {
  BatchView batch;
  TreeLaw law;
  Shortlists lists;
  OutsideTrees trees;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t example, const Lanes& lanes) const {
    if (!batch.has(example)) return;
    if (lanes.owns(0)) collect(example);
    lanes.sync();
    const TreeView& tree = law.tree;
    const std::uint32_t count = trees.counts[example];
    const std::uint64_t at = static_cast<std::uint64_t>(example) * trees.capacity;
    float* all_left = trees.left_of(example, 0, tree.arity);
    for (std::uint32_t i = lanes.from(0); i < count * tree.arity; i += lanes.stride()) {
      const std::uint32_t node = trees.nodes[at + i / tree.arity];
      const std::uint32_t child = i % tree.arity;
      if (child < tree.child_counts[node]) {
        all_left[i] = law.score(example, tree.first_children[node] + child);
      }
    }
    lanes.sync();
    for (std::uint32_t p = lanes.from(0); p < count; p += lanes.stride()) {
      float* left = trees.left_of(example, p, tree.arity);
      const std::uint32_t children = tree.child_counts[trees.nodes[at + p]];
      const ExponentialSum total = exponentiate(left, children, OneLane{});
      for (std::uint32_t c = 0; c < children; ++c) left[c] /= total.sum;
    }
    lanes.sync();
    for (std::uint32_t i = lanes.from(0); i < lists.candidates; i += lanes.stride()) {
      *left_of_node(example, tree.leaves[lists.of(example)[i]]) = 0.0F;
    }
    for (std::uint32_t depth = tree.depth; depth-- > 0;) {
      lanes.sync();
      for (std::uint32_t p = lanes.from(0); p < count; p += lanes.stride()) {
        if (trees.depths[at + p] != depth) continue;
        const std::uint32_t node = trees.nodes[at + p];
        const float* left = trees.left_of(example, p, tree.arity);
        float mass = 0.0F;
        for (std::uint32_t c = 0; c < tree.child_counts[node]; ++c) mass += left[c];
        trees.masses[at + p] = mass;
        if (node != 0) *left_of_node(example, node) *= mass;
      }
    }
  }

 private:
  CANE_HOST_DEVICE void collect(std::int64_t example) const {
    const std::uint64_t at = static_cast<std::uint64_t>(example) * trees.capacity;
    trees.counts[example] = 0;
    for (std::uint32_t i = 0; i < lists.candidates; ++i) {
      const std::uint32_t leaf = law.tree.leaves[lists.of(example)[i]];
      std::uint32_t depth = law.tree.depth_of(leaf);
      // Once a node is there, so are those above it.
      for (std::uint32_t node = leaf; node != 0;) {
        node = law.tree.parents[node];
        --depth;
        const std::uint32_t place = trees.find(example, node);
        if (place < trees.counts[example]) break;
        trees.nodes[at + place] = node;
        trees.depths[at + place] = depth;
        ++trees.counts[example];
      }
    }
  }

  /// What is left of a node, as stored at its parent.
  CANE_HOST_DEVICE float* left_of_node(std::int64_t example, std::uint32_t node) const {
    const std::uint32_t parent = law.tree.parents[node];
    return trees.left_of(example, trees.find(example, parent), law.tree.arity) +
           (node - law.tree.first_children[parent]);
  }
};

/// Draws noises. An item is a place for a noise.
struct DrawFromTree {
  BatchView batch;
  TreeLaw law;
  Shortlists lists;
  OutsideTrees trees;
  std::uint32_t classes;
  float* children;  // [batch * noises, arity] scratch

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t item, const Lanes& lanes) const {
    const std::int64_t example = item / lists.noises;
    const auto j = static_cast<std::uint32_t>(item % lists.noises);
    float* scratch = children + static_cast<std::uint64_t>(item) * law.tree.arity;
    std::uint32_t* noise = lists.of(example) + lists.candidates + j;
    const bool is_there = batch.has(example);
    const std::uint32_t label = batch.labels[example];
    const std::uint32_t label_at =
        is_there ? find_label(lists, example, label, lanes) : lists.candidates;
    const bool is_outside = label_at == lists.candidates;
    if (is_there && j == 0 && lanes.owns(0)) lists.label_at[example] = label_at;
    if (!is_there || (is_outside && j > 0)) {
      if (lanes.owns(0)) *noise = kNoRow;
      return;
    }
    const bool has_mass = mass(example) > kMinMass;
    const CounterRandom random = batch.random();
    const std::uint32_t number = batch.numbers[example];
    const std::uint32_t first_draw = j * (law.tree.depth + 2);
    std::uint32_t drawn = label;
    if (!is_outside && (!has_mass || random.uniform(number, first_draw) < kUniformShare)) {
      const std::uint64_t count = count_outside();
      drawn = class_outside(random.below(count, number, first_draw + 1),
                            {lists.of(example), lists.candidates});
    } else if (!is_outside) {
      drawn = walk(example, random, number, first_draw + 1, scratch, lanes);
    }
    const float log_q = log_q_of(example, drawn, scratch, lanes);
    if (!lanes.owns(0)) return;
    *noise = drawn;
    lists.log_q_of(example)[j] = log_q;
  }

  /// log q of a class that is not a candidate. All lanes get it.
  template <typename Lanes>
  CANE_HOST_DEVICE float log_q_of(std::int64_t example, std::uint32_t id, float* scratch,
                                  const Lanes& lanes) const {
    const double uniform = 1.0 / static_cast<double>(count_outside());
    if (!(mass(example) > kMinMass)) return log_mixture(false, 0.0, uniform);
    double probability = 1.0;
    for (std::uint32_t node = law.tree.leaves[id]; node != 0;) {
      const std::uint32_t parent = law.tree.parents[node];
      const Node at = node_of(example, parent, scratch, lanes);
      const float share = at.weights[node - law.tree.first_children[parent]];
      probability *= share == 0.0F ? 0.0 : static_cast<double>(share) / at.mass;
      node = parent;
      lanes.sync();
    }
    return log_mixture(true, probability, uniform);
  }

 private:
  struct Node {
    const float* weights;
    float mass;
  };

  CANE_HOST_DEVICE std::uint64_t count_outside() const { return classes - lists.candidates; }
  CANE_HOST_DEVICE float mass(std::int64_t example) const {
    return trees
        .masses[static_cast<std::uint64_t>(example) * trees.capacity + trees.find(example, 0)];
  }

  template <typename Lanes>
  CANE_HOST_DEVICE Node node_of(std::int64_t example, std::uint32_t node, float* scratch,
                                const Lanes& lanes) const {
    const std::uint32_t place = trees.find(example, node);
    if (place < trees.counts[example]) {
      return {trees.left_of(example, place, law.tree.arity),
              trees.masses[static_cast<std::uint64_t>(example) * trees.capacity + place]};
    }
    child_probabilities(law, example, node, scratch, lanes);
    return {scratch, 1.0F};
  }

  template <typename Lanes>
  CANE_HOST_DEVICE std::uint32_t walk(std::int64_t example, const CounterRandom& random,
                                      std::uint32_t number, std::uint32_t draw, float* scratch,
                                      const Lanes& lanes) const {
    std::uint32_t node = 0;
    while (!law.tree.is_leaf(node)) {
      const Node at = node_of(example, node, scratch, lanes);
      const Chunk own = chunk_of(law.tree.child_counts[node], lanes);
      float sum = 0.0F;
      for (std::uint32_t c = own.begin; c < own.end; ++c) sum += at.weights[c];
      const RunningSum running = lanes.running_sum(sum);
      const float all = lanes.max(running.through);
      const float position = static_cast<float>(random.uniform(number, draw++)) * kBelowOne * all;
      std::uint32_t chosen = 0;  // child + 1
      if (holds_position(position, sum, running, lanes)) {
        float through = running.before;
        for (std::uint32_t c = own.begin; c < own.end; ++c) {
          if (at.weights[c] > 0.0F) chosen = c + 1;
          through += at.weights[c];
          if (position < through) break;
        }
      }
      node = law.tree.first_children[node] + lanes.max(chosen) - 1;
      lanes.sync();
    }
    return law.tree.leaf_classes[node];
  }
};

}  // namespace cane::device
