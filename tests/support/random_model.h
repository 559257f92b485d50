// A tree with random weights and random examples, for tests of search and gradients.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/random.h"
#include "model/path_scorer.h"
#include "tree/class_tree.h"

namespace cane::testing {

struct RandomModel {
  RandomModel(ClassTree class_tree, FeatureId dimension, std::uint32_t examples, bool sparse,
              std::uint64_t seed = 1)
      : tree(std::move(class_tree)), layout(tree, dimension), weights(layout.size(), 0.0F) {
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
    values.resize(std::size_t{examples} * dimension);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(random.normal(i, 1));
    }
    for (FeatureId i = 0; i < dimension; i += 3) indices.push_back(i);
    for (std::uint32_t e = 0; e < examples; ++e) {
      const float* row = values.data() + std::size_t{e} * dimension;
      rows.push_back(sparse
                         ? RowView{indices.data(), row, static_cast<std::uint32_t>(indices.size())}
                         : RowView{nullptr, row, dimension});
    }
  }

  PathScorer scorer() const { return {tree, layout, weights.data()}; }

  /// The plain reference (Eq. h): the edges of the path one by one, in double.
  double plain_score(const RowView& row, ClassId label) const {
    double sum = 0.0;
    for (NodeId node = tree.leaf_of(label); node != 0; node = tree.parent(node)) {
      const NodeId parent = tree.parent(node);
      const float* edge =
          weights.data() + layout.offset(parent) + (node - tree.first_child(parent));
      const std::size_t stride = layout.shape(parent).stride;
      sum += static_cast<double>(edge[layout.dimension() * stride]);
      for (std::uint32_t p = 0; p < row.count; ++p) {
        const std::size_t feature = row.indices == nullptr ? p : row.indices[p];
        sum += static_cast<double>(row.values[p]) * static_cast<double>(edge[feature * stride]);
      }
    }
    return sum;
  }

  ClassTree tree;
  BlockLayout layout;
  std::vector<float> weights;
  std::vector<float> values;
  std::vector<FeatureId> indices;
  std::vector<RowView> rows;
};

}  // namespace cane::testing
