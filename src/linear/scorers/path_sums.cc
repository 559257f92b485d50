#include "linear/scorers/path_sums.h"

#include <cassert>
#include <cstddef>

namespace cane {
namespace {

// Calls `action(place, weight)` for all weights of the edge to a node.
template <typename Weight, typename Action>
void for_edge(const ClassTree& tree, const BlockLayout& layout, NodeId node, Weight* weights,
              const Action& action) {
  const NodeId parent = tree.parent(node);
  Weight* const column = weights + layout.offset(parent) + (node - tree.first_child(parent));
  const std::size_t stride = layout.shape(parent).stride;
  for (std::size_t i = 0; i <= layout.dimension(); ++i) action(i, column[i * stride]);
}

}  // namespace

std::vector<float> path_sums(const ClassTree& tree, const BlockLayout& layout,
                             const float* weights) {
  const std::size_t width = std::size_t{layout.dimension()} + 1;
  std::vector<float> sums(tree.class_count() * width, 0.0F);
  for (ClassId label = 0; label < tree.class_count(); ++label) {
    float* const sum = sums.data() + label * width;
    for (NodeId node = tree.leaf_of(label); node != 0; node = tree.parent(node)) {
      for_edge(tree, layout, node, weights,
               [&](std::size_t i, const float& weight) { sum[i] += weight; });
    }
  }
  return sums;
}

void set_path_sums(std::span<const float> sums, const ClassTree& tree, const BlockLayout& layout,
                   float* weights) {
  const std::size_t width = std::size_t{layout.dimension()} + 1;
  assert(sums.size() == tree.class_count() * width);
  // Children come after their parents, so in reverse order everything below a node is known before
  // it.
  std::vector<float> means(tree.node_count() * width, 0.0F);
  std::vector<float> classes(tree.node_count(), 0.0F);
  for (NodeId node = tree.node_count(); node-- > 0;) {
    float* const mean = means.data() + node * width;
    if (tree.is_leaf(node)) {
      classes[node] = 1.0F;
      for (std::size_t i = 0; i < width; ++i) mean[i] = sums[tree.leaf_class(node) * width + i];
    } else {
      for (std::size_t i = 0; i < width; ++i) mean[i] /= classes[node];
    }
    if (node == 0) break;
    const NodeId parent = tree.parent(node);
    classes[parent] += classes[node];
    for (std::size_t i = 0; i < width; ++i) means[parent * width + i] += classes[node] * mean[i];
  }
  for (NodeId node = 1; node < tree.node_count(); ++node) {
    const NodeId parent = tree.parent(node);
    for_edge(tree, layout, node, weights, [&](std::size_t i, float& weight) {
      weight = means[node * width + i] - (parent == 0 ? 0.0F : means[parent * width + i]);
    });
  }
}

}  // namespace cane
