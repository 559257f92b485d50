// The Beam Tree algorithm (Algs. 2 and 3) written as plainly as possible: a row-major weight vector
// for every edge, one example at a time, no batches, no blocks, no SIMD, no threads. Tests compare
// the fast version with it, and benchmarks time against it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/base/row_view.h"
#include "core/noise/uniform_noise.h"
#include "core/tree/class_tree.h"

namespace cane::testing {

class PlainCane {
 public:
  PlainCane(const ClassTree& tree, FeatureId dimension)
      : tree_(tree),
        dimension_(dimension),
        weights_(tree.node_count(), std::vector<float>(std::size_t{dimension} + 1, 0.0F)),
        noise_(tree.class_count()) {}

  using Scored = std::pair<float, NodeId>;

  std::vector<Scored> beam(const RowView& row, std::uint32_t width) const {
    std::vector<Scored> frontier = {{0.0F, 0}};
    std::vector<Scored> leaves;
    while (!frontier.empty()) {
      std::vector<Scored> children;
      for (const auto& [score, node] : frontier) {
        if (tree_.is_leaf(node)) {
          leaves.emplace_back(score, node);
          continue;
        }
        for (std::uint32_t c = 0; c < tree_.child_count(node); ++c) {
          const NodeId child = tree_.first_child(node) + c;
          children.emplace_back(score + edge_score(row, child), child);
        }
      }
      keep_best(children, width);
      frontier = std::move(children);
    }
    keep_best(leaves, width);
    return leaves;
  }

  float score(const RowView& row, ClassId label) const {
    std::vector<NodeId> path;
    for (NodeId node = tree_.leaf_of(label); node != 0; node = tree_.parent(node)) {
      path.push_back(node);
    }
    float sum = 0.0F;
    for (auto node = path.rbegin(); node != path.rend(); ++node) sum += edge_score(row, *node);
    return sum;
  }

  void learn(const RowView& row, ClassId label, std::uint32_t candidates, std::uint32_t noises,
             float rate, const CounterRandom& random, std::uint64_t example) {
    std::vector<ClassId> classes;
    std::vector<float> scores;
    for (const auto& [value, leaf] : beam(row, candidates)) {
      classes.push_back(tree_.leaf_class(leaf));
      scores.push_back(value);
    }
    const std::size_t inside = classes.size();
    std::vector<ClassId> excluded = classes;
    std::sort(excluded.begin(), excluded.end());
    const auto found = std::find(classes.begin(), classes.end(), label);
    const auto label_at = static_cast<std::size_t>(found - classes.begin());
    std::vector<ClassId> drawn = {label};
    std::vector<float> log_q = {noise_.log_probability(label, excluded)};
    if (label_at < inside) {
      drawn.resize(noises);
      log_q.resize(noises);
      noise_.sample(excluded, random, example, drawn, log_q);
    }
    for (const ClassId noise : drawn) {
      classes.push_back(noise);
      scores.push_back(score(row, noise));
    }
    // Eqs. practice1 and practice2; each noise has its own normaliser.
    std::vector<double> gradient(classes.size(), 0.0);
    for (std::size_t j = inside; j < classes.size(); ++j) {
      std::vector<double> terms;
      double sum = 0.0;
      for (std::size_t k = 0; k < inside; ++k) terms.push_back(std::exp(double{scores[k]}));
      terms.push_back(std::exp(double{scores[j]} - double{log_q[j - inside]}));
      for (const double term : terms) sum += term;
      const double share = 1.0 / static_cast<double>(drawn.size());
      for (std::size_t k = 0; k < inside; ++k) gradient[k] += share * terms[k] / sum;
      gradient[j] += share * terms.back() / sum;
    }
    gradient[label_at] -= 1.0;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      for (NodeId node = tree_.leaf_of(classes[i]); node != 0; node = tree_.parent(node)) {
        step(row, node, -rate * static_cast<float>(gradient[i]));
      }
    }
  }

  /// Weights of the edge to `node`: features, then the bias.
  const std::vector<float>& edge(NodeId node) const { return weights_[node]; }

 private:
  float edge_score(const RowView& row, NodeId node) const {
    const std::vector<float>& weights = weights_[node];
    float sum = weights[dimension_];
    for (std::uint32_t p = 0; p < row.count; ++p) {
      sum += row.values[p] * weights[row.indices == nullptr ? p : row.indices[p]];
    }
    return sum;
  }

  void step(const RowView& row, NodeId node, float size) {
    std::vector<float>& weights = weights_[node];
    for (std::uint32_t p = 0; p < row.count; ++p) {
      weights[row.indices == nullptr ? p : row.indices[p]] += size * row.values[p];
    }
    weights[dimension_] += size;
  }

  void keep_best(std::vector<Scored>& nodes, std::uint32_t width) const {
    std::sort(nodes.begin(), nodes.end(), [&](const Scored& a, const Scored& b) {
      if (a.first != b.first) return a.first > b.first;
      return tree_.lowest_class(a.second) < tree_.lowest_class(b.second);
    });
    if (nodes.size() > width) nodes.resize(width);
  }

  const ClassTree& tree_;
  FeatureId dimension_;
  std::vector<std::vector<float>> weights_;  // by the node an edge leads to
  UniformNoise noise_;
};

}  // namespace cane::testing
