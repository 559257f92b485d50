#include "train/start/nearest_centres.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/simd/softmax_kernels.h"

namespace cane {
namespace {

constexpr std::size_t kMaxExamples = 2000;
constexpr std::size_t kFewestExamples = 50;
constexpr std::size_t kMaxScores = 4'000'000;
// If no example is mistaken, the loss only falls with the scale. So a scale is taken for the best
// if all larger ones together gain less than this share of the improvement over a blind guess.
constexpr double kTolerance = 0.002;
// The same where the scores are normalised at every node.
constexpr double kHierarchicalTolerance = 0.05;
// Frequencies of classes are taken into account if that gains this share of a blind guess's loss.
constexpr double kFrequencyGain = 0.005;
// The scales that are measured are the powers of two from 2^-kLargestExponent to
// 2^kLargestExponent.
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

// The log of the frequency of each class, relative to that of a class of mean frequency.
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

struct ScaleLoss {
  double exponent;
  double loss;
};

// The least of the losses at 2^-kLargestExponent, ..., which are convex in the scale: by the
// parabola through the best measured one and its neighbours.
ScaleLoss least(std::span<const double> losses, double guess, double share) {
  const double lowest = *std::min_element(losses.begin(), losses.end());
  const double tolerance = share * std::max(guess - lowest, 0.0);
  const auto good = static_cast<std::size_t>(
      std::find_if(losses.begin(), losses.end(),
                   [&](double loss) { return loss <= lowest + tolerance; }) -
      losses.begin());
  ScaleLoss best = {static_cast<double>(good) - kLargestExponent, losses[good]};
  if (good == 0 || good + 1 == losses.size()) return best;
  const double fall = losses[good - 1] - losses[good];
  const double rise = losses[good + 1] - losses[good];
  if (fall <= 0.0 || rise <= 0.0) return best;
  const double move = 0.5 * (fall - rise) / (fall + rise);
  best.exponent += move;
  best.loss -= 0.25 * (fall - rise) * move;
  return best;
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

void add_flat_frequencies(std::span<const double> counts, const BlockLayout& layout,
                          float* weights) {
  const std::uint32_t width = layout.widest_stride();
  const std::vector<float> logs = log_frequencies(counts);
  for (ClassId k = 0; k < counts.size(); ++k) {
    float* column = weights + layout.offset(k / width) + k % width;
    column[std::size_t{layout.dimension()} * width] += logs[k];
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

std::size_t best_scale_sample(std::uint32_t classes) {
  return std::clamp(kMaxScores / classes, kFewestExamples, kMaxExamples);
}

BestScale best_scale(const ClassScorer& scorer, std::span<const RowView> rows,
                     std::span<const ClassId> labels, std::span<const float> own_changes,
                     std::span<const double> counts, bool hierarchical) {
  const std::size_t pitch = scorer.all_pitch();
  const std::uint32_t classes = scorer.classes();
  const std::vector<float> frequencies = log_frequencies(counts);
  std::vector<float> scores(pitch);
  std::vector<float> scaled(classes);
  std::array<std::vector<double>, 2> losses;
  losses.fill(std::vector<double>(2 * kLargestExponent + 1, 0.0));
  ScoringScratch scratch;
  for (std::size_t e = 0; e < rows.size(); ++e) {
    scorer.score_all(rows.subspan(e, 1), scratch, pitch, scores.data());
    scores[labels[e]] += own_changes[e];
    for (std::size_t i = 0; i < losses[0].size(); ++i) {
      const float scale = std::ldexp(1.0F, static_cast<int>(i) - kLargestExponent);
      for (std::uint32_t k = 0; k < classes; ++k) scaled[k] = scale * scores[k];
      losses[0][i] += static_cast<double>(log_sum_exp(scaled.data(), classes) - scaled[labels[e]]);
      for (std::uint32_t k = 0; k < classes; ++k) scaled[k] += frequencies[k];
      losses[1][i] += static_cast<double>(log_sum_exp(scaled.data(), classes) - scaled[labels[e]]);
    }
  }
  const double guess = std::log(static_cast<double>(classes));
  for (auto& of_all : losses) {
    for (double& loss : of_all) loss /= static_cast<double>(rows.size());
  }
  const double share = hierarchical ? kHierarchicalTolerance : kTolerance;
  const ScaleLoss plain = least(losses[0], guess, share);
  const ScaleLoss with = least(losses[1], guess, share);
  const bool pays = with.loss < plain.loss - kFrequencyGain * guess;
  const ScaleLoss& best = pays ? with : plain;
  return {static_cast<float>(std::exp2(best.exponent)), pays,
          guess > 0.0 ? best.loss / guess : 0.0};
}

}  // namespace cane
