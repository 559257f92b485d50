#include "train/start/nearest_centres.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/simd/softmax_kernels.h"

namespace cane {
namespace {

constexpr std::size_t kMaxExamples = 2000;
constexpr std::size_t kFewestExamples = 50;
constexpr std::size_t kMaxScores = 4'000'000;
// Share of the improvement over a blind guess that is traded for smaller scores.
constexpr double kTolerance = 0.05;
// Scales are powers of two between 2^-kLargestExponent and 2^kLargestExponent.
constexpr int kLargestExponent = 20;

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

std::size_t best_scale_sample(std::uint32_t classes) {
  return std::clamp(kMaxScores / classes, kFewestExamples, kMaxExamples);
}

BestScale best_scale(const ClassScorer& scorer, std::span<const RowView> rows,
                     std::span<const ClassId> labels) {
  const std::size_t pitch = scorer.all_pitch();
  const std::uint32_t classes = scorer.classes();
  std::vector<float> scores(pitch);
  std::vector<float> scaled(classes);
  std::vector<double> losses(2 * kLargestExponent + 1, 0.0);
  ScoringScratch scratch;
  for (std::size_t e = 0; e < rows.size(); ++e) {
    scorer.score_all(rows.subspan(e, 1), scratch, pitch, scores.data());
    for (std::size_t i = 0; i < losses.size(); ++i) {
      const float scale = std::ldexp(1.0F, static_cast<int>(i) - kLargestExponent);
      for (std::uint32_t k = 0; k < classes; ++k) scaled[k] = scale * scores[k];
      losses[i] += static_cast<double>(log_sum_exp(scaled.data(), classes) - scaled[labels[e]]);
    }
  }
  for (double& loss : losses) loss /= static_cast<double>(rows.size());
  // The means were computed from these examples: if classes are far apart, the loss only decreases
  // with the scale, so take the first scale that is nearly as good as the best.
  const double least = *std::min_element(losses.begin(), losses.end());
  const double guess = std::log(static_cast<double>(classes));
  const auto good = std::find_if(losses.begin(), losses.end(), [&](double loss) {
    return loss <= least + kTolerance * std::max(guess - least, 0.0);
  });
  return {std::ldexp(1.0F, static_cast<int>(good - losses.begin()) - kLargestExponent),
          guess > 0.0 ? *good / guess : 0.0};
}

}  // namespace cane
