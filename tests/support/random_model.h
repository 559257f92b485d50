// A tree with random weights and random examples, for tests of search and gradients.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/tree/class_tree.h"
#include "linear/scorers/path_scorer.h"
#include "support/random_rows.h"

namespace cane::testing {

struct RandomModel : RandomRows {
  RandomModel(ClassTree class_tree, FeatureId dimension, std::uint32_t examples, bool sparse,
              std::uint64_t seed = 1)
      : RandomRows(dimension, examples, sparse, seed),
        tree(std::move(class_tree)),
        layout(tree, dimension),
        weights(layout.size(), 0.0F) {
    const CounterRandom random(seed, RandomPurpose::kSynthetic);
    for (NodeId node = 0; node < layout.node_bound(); ++node) {
      if (tree.is_leaf(node)) continue;
      for (std::size_t row = 0; row <= dimension; ++row) {
        for (std::uint32_t child = 0; child < tree.child_count(node); ++child) {
          const std::size_t place = layout.offset(node) + row * layout.shape(node).stride + child;
          weights[place] = static_cast<float>(random.normal(place, 0));
        }
      }
    }
  }

  PathScorer scorer(bool normalize_siblings = false) const {
    return {tree, layout, weights.data(), normalize_siblings};
  }

  double plain_edge(const RowView& row, NodeId node) const {
    const NodeId parent = tree.parent(node);
    return plain_dot(row,
                     weights.data() + layout.offset(parent) + (node - tree.first_child(parent)),
                     layout.shape(parent).stride, layout.dimension());
  }

  /// The plain reference (Eq. h): the edges of the path one by one, in double.
  double plain_score(const RowView& row, ClassId label) const {
    double sum = 0.0;
    for (NodeId node = tree.leaf_of(label); node != 0; node = tree.parent(node)) {
      sum += plain_edge(row, node);
    }
    return sum;
  }

  /// The same with a softmax over the siblings at every node.
  double plain_log_probability(const RowView& row, ClassId label) const {
    double sum = 0.0;
    for (NodeId node = tree.leaf_of(label); node != 0; node = tree.parent(node)) {
      const NodeId parent = tree.parent(node);
      const double own = plain_edge(row, node);
      double siblings = 0.0;
      for (std::uint32_t c = 0; c < tree.child_count(parent); ++c) {
        siblings += std::exp(plain_edge(row, tree.first_child(parent) + c) - own);
      }
      sum -= std::log(siblings);
    }
    return sum;
  }

  ClassTree tree;
  BlockLayout layout;
  std::vector<float> weights;
};

}  // namespace cane::testing
