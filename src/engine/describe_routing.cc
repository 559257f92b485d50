#include "engine/describe_routing.h"
#include "methods/method_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cane {
namespace {

struct Leaves {
  std::uint32_t used = 0;  // with examples
  std::uint32_t pure = 0;  // leaves with a single class
  double examples = 0.0;
  double depths = 0.0;   // weighted by examples
  double largest = 0.0;  // most examples in one leaf
  double covered = 0.0;  // examples of the most frequent classes
  std::set<ClassId> predicted;
};

Leaves look_at_leaves(const RoutingState& state) {
  Leaves leaves;
  for (NodeId node = 0; node < state.tree.node_count(); ++node) {
    if (!state.tree.is_leaf(node)) continue;
    std::uint32_t depth = 0;
    for (NodeId above = node; above != 0; above = state.tree.parent(above)) ++depth;
    const double count = state.counts[node];
    leaves.used += count > 0.0 ? 1 : 0;
    leaves.pure += state.histograms[node].entries().size() == 1 ? 1 : 0;
    leaves.examples += count;
    leaves.depths += count * depth;
    leaves.largest = std::max(leaves.largest, count);
    leaves.covered += state.histograms[node].top_mass();
    leaves.predicted.insert(state.majorities[node]);
  }
  return leaves;
}

}  // namespace

RoutingSummary summarize_routing(const RoutingState& state) {
  const RoutingShape shape = shape_of(state.tree);
  const Leaves leaves = look_at_leaves(state);
  const double examples = std::max(leaves.examples, 1e-30);
  std::uint64_t counts = 0;
  for (const ClassHistogram& histogram : state.histograms) counts += histogram.entries().size();
  return {.inner_nodes = shape.inner_nodes,
          .leaves = shape.leaves,
          .depth = shape.depth,
          .mean_depth = shape.mean_depth,
          .mean_depth_of_examples = leaves.depths / examples,
          .counts = counts,
          .used_leaves = leaves.used,
          .pure_leaves = leaves.pure,
          .largest_leaf = leaves.largest,
          .classes_predicted = static_cast<std::uint32_t>(leaves.predicted.size()),
          .recall = leaves.covered / examples};
}

std::vector<std::pair<std::string, std::string>> describe_routing(const RoutingState& state,
                                                                  const TrainConfig& config) {
  const RoutingSummary summary = summarize_routing(state);
  std::vector<std::pair<std::string, std::string>> lines = {
      {"tree", fmt::format("{} inner nodes, {} leaves, depth {}", summary.inner_nodes,
                           summary.leaves, summary.depth)},
      {"mean depth", fmt::format("{:.1f} over the leaves, {:.1f} over the examples",
                                 summary.mean_depth, summary.mean_depth_of_examples)},
      {"counts", fmt::format("{} of a class at a node", summary.counts)}};
  if (row_of(config.method).grows_nodes) {
    lines.emplace_back("leaves", fmt::format("{} of one class only, {:.0f} examples in the largest",
                                             summary.pure_leaves, summary.largest_leaf));
    lines.emplace_back("classes predicted", std::to_string(summary.classes_predicted));
  } else {
    lines.emplace_back("leaves", fmt::format("{} with examples", summary.used_leaves));
    lines.emplace_back("recall at the leaves", fmt::format("{:.2f}%", 100.0 * summary.recall));
  }
  return lines;
}

}  // namespace cane
