#include "theory/shared_edges.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/base/types.h"
#include "core/objective/candidates_vs_noises.h"
#include "core/tree/balanced_tree.h"
#include "core/tree/class_tree.h"
#include "theory/edge_examples.h"

namespace cane::theory {
namespace {

struct Edge {
  std::uint32_t paths = 0;
  double gradient = 0.0;
};

/// The edges on the selected paths, by the node they lead to.
std::unordered_map<NodeId, Edge> edge_gradients(const ClassTree& tree,
                                                const SelectedPaths& selected) {
  const auto noises = static_cast<std::uint32_t>(selected.log_q.size());
  const auto size = static_cast<std::uint32_t>(selected.classes.size());
  const Shortlist shortlist = {size - noises, noises, selected.label_at, selected.log_q.data()};
  std::vector<float> gradient(size);
  CandidatesVsNoises()(shortlist, selected.scores.data(), gradient.data());
  std::unordered_map<NodeId, Edge> edges;
  for (std::uint32_t i = 0; i < size; ++i) {
    for (NodeId node = tree.leaf_of(selected.classes[i]); node != 0; node = tree.parent(node)) {
      Edge& edge = edges[node];
      ++edge.paths;
      edge.gradient += double{gradient[i]};
    }
  }
  return edges;
}

void add_example(const ClassTree& tree, const SelectedPaths& selected, SharedEdgesRow& row) {
  for (const auto& [node, edge] : edge_gradients(tree, selected)) {
    const double size = std::abs(edge.gradient);
    ++row.edges;
    row.largest_gradient = std::max(row.largest_gradient, size);
    if (edge.paths < selected.classes.size()) continue;
    ++row.shared;
    row.largest_shared_gradient = std::max(row.largest_shared_gradient, size);
  }
}

}  // namespace

std::vector<SharedEdgesRow> check_shared_edges(const SharedEdgesOptions& options) {
  std::vector<SharedEdgesRow> rows;
  for (const std::uint32_t arity : options.arities) {
    const ClassTree tree = balanced_tree(random_order(options.classes, options.seed), arity);
    const EdgeExamples examples(tree, options.seed);
    for (const std::uint32_t candidates : options.candidates) {
      for (const std::uint32_t noises : options.noises) {
        SharedEdgesRow row = {arity, candidates, noises};
        for (std::uint64_t example = 0; example < options.examples; ++example) {
          add_example(tree, examples.select(example, candidates, noises), row);
        }
        rows.push_back(row);
      }
    }
  }
  return rows;
}

}  // namespace cane::theory
