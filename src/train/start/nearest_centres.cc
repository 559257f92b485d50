#include "train/start/nearest_centres.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "linear/scorers/flat_scorer.h"

namespace cane {
namespace {

// The column of the edge that leads to a node.
struct Edge {
  Edge(const ClassTree& tree, const BlockLayout& layout, float* weights, NodeId node)
      : stride(layout.shape(tree.parent(node)).stride),
        first(weights + layout.offset(tree.parent(node)) +
              (node - tree.first_child(tree.parent(node)))) {}
  float& operator[](std::size_t feature) const { return first[feature * stride]; }

  std::size_t stride;
  float* first;
};

std::vector<std::uint32_t> classes_below(const ClassTree& tree) {
  std::vector<std::uint32_t> counts(tree.node_count(), 0);
  for (NodeId node = tree.node_count(); node-- > 0;) {
    if (tree.is_leaf(node)) counts[node] = 1;
    if (node != 0) counts[tree.parent(node)] += counts[node];
  }
  return counts;
}

}  // namespace

void set_flat_means(std::span<const RowView> centres, const BlockLayout& layout, float* weights) {
  const std::uint32_t width = layout.widest_stride();
  for (ClassId k = 0; k < centres.size(); ++k) {
    float* column = weights + layout.offset(k / width) + k % width;
    const RowView& centre = centres[k];
    float square = 0.0F;
    for (std::uint32_t p = 0; p < centre.count; ++p) {
      const std::size_t feature = centre.indices == nullptr ? p : centre.indices[p];
      column[feature * width] = centre.values[p];
      square += centre.values[p] * centre.values[p];
    }
    column[std::size_t{layout.dimension()} * width] = -0.5F * square;
  }
}

void set_whitened_means(std::span<const RowView> centres, const Whitening& whitening,
                        const BlockLayout& layout, ThreadPool& pool, float* weights) {
  constexpr std::size_t kAtOnce = 64;
  const FeatureId dimension = layout.dimension();
  const std::size_t pitch = layout.pitch();
  pool.run((centres.size() + kAtOnce - 1) / kAtOnce, [&](std::size_t task, int) {
    const std::size_t first = task * kAtOnce;
    const std::size_t count = std::min(kAtOnce, centres.size() - first);
    std::vector<float> inputs(count * pitch);
    std::vector<float> scratch;
    fill_inputs(centres.subspan(first, count), dimension, pitch, inputs.data());
    float* const rows = weights + layout.offset(static_cast<ClassId>(first));
    whitening.turn(inputs.data(), count, pitch, scratch, rows);
    for (std::size_t k = 0; k < count; ++k) {
      float* const row = rows + k * pitch;
      double bias = -0.5 * whitening.product(inputs.data() + k * pitch, row);
      for (std::size_t i = 0; i < dimension; ++i) {
        bias -= static_cast<double>(row[i]) * static_cast<double>(whitening.mean()[i]);
      }
      row[dimension] = static_cast<float>(bias);
    }
  });
}

void set_tree_means(std::span<const RowView> centres, const ClassTree& tree,
                    const BlockLayout& layout, float* weights) {
  const std::size_t dimension = layout.dimension();
  const std::vector<std::uint32_t> counts = classes_below(tree);
  std::vector<float> root_mean(dimension, 0.0F);
  // First store the mean of the classes below each node on the edge that leads to it.
  for (ClassId k = 0; k < tree.class_count(); ++k) {
    const RowView centre = centres[k];
    for (NodeId node = tree.leaf_of(k); node != 0; node = tree.parent(node)) {
      const Edge edge(tree, layout, weights, node);
      const float share = 1.0F / static_cast<float>(counts[node]);
      for (std::uint32_t p = 0; p < centre.count; ++p) {
        edge[centre.indices == nullptr ? p : centre.indices[p]] += share * centre.values[p];
      }
    }
    for (std::uint32_t p = 0; p < centre.count; ++p) {
      root_mean[centre.indices == nullptr ? p : centre.indices[p]] +=
          centre.values[p] / static_cast<float>(tree.class_count());
    }
  }
  const auto half_square = [&](NodeId node) {
    const Edge edge(tree, layout, weights, node);
    float sum = 0.0F;
    for (std::size_t i = 0; i < dimension; ++i) sum += edge[i] * edge[i];
    return 0.5F * sum;
  };
  for (NodeId node = 1; node < tree.node_count(); ++node) {
    Edge(tree, layout, weights, node)[dimension] = -half_square(node);
  }
  const float root_bias =
      -0.5F * std::inner_product(root_mean.begin(), root_mean.end(), root_mean.begin(), 0.0F);
  // Then subtract the parent; children have higher numbers than their parents, so iterate
  // backwards.
  for (NodeId node = tree.node_count(); node-- > 1;) {
    const Edge edge(tree, layout, weights, node);
    const NodeId parent = tree.parent(node);
    if (parent == 0) {
      for (std::size_t i = 0; i < dimension; ++i) edge[i] -= root_mean[i];
      edge[dimension] -= root_bias;
    } else {
      const Edge above(tree, layout, weights, parent);
      for (std::size_t i = 0; i <= dimension; ++i) edge[i] -= above[i];
    }
  }
}

std::vector<float> log_frequencies(std::span<const double> counts) {
  constexpr double kUnseen = 0.5;
  const double mean = std::accumulate(counts.begin(), counts.end(), 0.0) /
                      static_cast<double>(std::max<std::size_t>(counts.size(), 1));
  std::vector<float> logs;
  for (const double count : counts) {
    logs.push_back(
        static_cast<float>(std::log(std::max(count, kUnseen) / std::max(mean, kUnseen))));
  }
  return logs;
}

void add_to_biases(std::span<const float> values, const BlockLayout& layout, float* weights) {
  const std::uint32_t width = layout.widest_stride();
  for (ClassId k = 0; k < values.size(); ++k) {
    float* column = weights + layout.offset(k / width) + k % width;
    column[std::size_t{layout.dimension()} * width] += values[k];
  }
}

void add_tree_frequencies(std::span<const double> counts, const ClassTree& tree,
                          const BlockLayout& layout, float* weights) {
  const std::vector<float> logs = log_frequencies(counts);
  std::vector<double> sums(tree.node_count(), 0.0);
  for (ClassId k = 0; k < tree.class_count(); ++k) {
    sums[tree.leaf_of(k)] = std::exp(static_cast<double>(logs[k]));
  }
  for (NodeId node = tree.node_count(); node-- > 1;) sums[tree.parent(node)] += sums[node];
  for (NodeId node = 1; node < tree.node_count(); ++node) {
    Edge(tree, layout, weights, node)[layout.dimension()] +=
        static_cast<float>(std::log(sums[node] / sums[tree.parent(node)]));
  }
}

}  // namespace cane
