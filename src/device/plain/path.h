// The hierarchical softmax: at every node of the label's path the softmax over its children. It is
// the method hsm over the inputs of the classes, and the learning of a tree's proposal over what it
// sees of them. An example of K classes in a tree of arity b and depth d scores b d rows: with
// b = 32 and K = 10^6, 128 rows of 4 (D + 1) bytes, which are read twice and written once.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "device/plain/shortlist.h"
#include "device/plain/tree_view.h"

namespace cane::device {

/// Lists the rows of an example: [depth, arity] nodes, from the root down. An item is an example.
struct ListPath {
  BatchView batch;
  TreeView tree;
  std::uint32_t* rows;  // [batch, depth * arity]

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t example, const Lanes& lanes) const {
    std::uint32_t* own = rows + static_cast<std::uint64_t>(example) * tree.slots();
    std::uint32_t node = batch.has(example) ? tree.leaves[batch.labels[example]] : 0;
    const std::uint32_t levels = tree.depth_of(node);
    for (std::uint32_t level = tree.depth; level-- > 0;) {
      const bool is_used = level < levels;
      const std::uint32_t parent = is_used ? tree.parents[node] : 0;
      const std::uint32_t children = is_used ? tree.child_counts[parent] : 0;
      for (std::uint32_t c = lanes.from(0); c < tree.arity; c += lanes.stride()) {
        own[level * tree.arity + c] = c < children ? tree.first_children[parent] + c : kNoRow;
      }
      if (is_used) node = parent;
    }
  }
};

/// Scores become coefficients. A node that gives nearly all probability to the label's child is
/// left as it is if its log-probability is above `sure`. An item is an example.
struct DifferentiatePath {
  BatchView batch;
  Rows inputs;
  TreeView tree;
  const std::uint32_t* rows;
  float* values;  // [batch, depth * arity]
  float clip;
  float sure;
  ExampleResults results;  // null: not wanted

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t example, const Lanes& lanes) const {
    const std::uint64_t start = static_cast<std::uint64_t>(example) * tree.slots();
    float* own = values + start;
    const bool is_there = batch.has(example);
    float loss = 0.0F;
    float squares = 0.0F;
    float scored = 0.0F;
    std::uint32_t node = is_there ? tree.leaves[batch.labels[example]] : 0;
    const std::uint32_t levels = tree.depth_of(node);
    for (std::uint32_t level = tree.depth; level-- > 0;) {
      float* scores = own + level * tree.arity;
      if (level >= levels) {
        for (std::uint32_t c = lanes.from(0); c < tree.arity; c += lanes.stride()) scores[c] = 0.0F;
        continue;
      }
      const std::uint32_t parent = tree.parents[node];
      const std::uint32_t children = tree.child_counts[parent];
      const float node_loss =
          softmax_loss(scores, children, node - tree.first_children[parent], lanes);
      const bool is_sure = -node_loss > sure;
      for (std::uint32_t c = lanes.from(0); c < tree.arity; c += lanes.stride()) {
        if (c >= children || is_sure) scores[c] = 0.0F;
        squares += scores[c] * scores[c];
      }
      loss += node_loss;
      scored += static_cast<float>(children);
      node = parent;
    }
    const float weight = is_there ? batch.weights[example] : 0.0F;
    const float scale = clip == 0.0F ? weight
                                     : clipped_weight(weight, clip, lanes.sum(squares),
                                                      squared_length(inputs, example, lanes));
    lanes.sync();
    for (std::uint32_t i = lanes.from(0); i < tree.slots(); i += lanes.stride()) own[i] *= scale;
    if (results.losses == nullptr || !lanes.owns(0)) return;
    results.set(example, weight * loss, is_there, scored);
  }
};

}  // namespace cane::device
