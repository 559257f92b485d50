// Statistics of the tree that an online tree learned.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "methods/method_table.h"
#include "online/routing_state.h"

namespace cane {
namespace {

struct Leaves {
  std::uint32_t used = 0;  // with examples
  std::uint32_t pure = 0;  // leaves with a single class
  double examples = 0.0;
  double depths = 0.0;          // weighted by examples
  double largest = 0.0;         // most examples in one leaf
  double covered = 0.0;         // examples of the most frequent classes
  std::set<ClassId> predicted;  // by their majorities

  double mean_depth() const { return depths / std::max(examples, 1e-30); }
  // Share of the examples whose class a leaf keeps.
  double recall() const { return covered / std::max(examples, 1e-30); }
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

std::uint64_t count_entries(const RoutingState& state) {
  std::uint64_t entries = 0;
  for (const ClassHistogram& histogram : state.histograms) entries += histogram.entries().size();
  return entries;
}

}  // namespace

nlohmann::ordered_json RoutingState::summary() const {
  const RoutingShape shape = shape_of(tree);
  const Leaves leaves = look_at_leaves(*this);
  return {{"inner_nodes", shape.inner_nodes},
          {"leaves", shape.leaves},
          {"depth", shape.depth},
          {"mean_depth", shape.mean_depth},
          {"mean_depth_of_examples", leaves.mean_depth()},
          {"class_counts", count_entries(*this)},
          {"used_leaves", leaves.used},
          {"pure_leaves", leaves.pure},
          {"largest_leaf", leaves.largest},
          {"classes_predicted", leaves.predicted.size()},
          {"recall", leaves.recall()}};
}

std::vector<std::pair<std::string, std::string>> RoutingState::lines(
    const TrainConfig& config) const {
  const RoutingShape shape = shape_of(tree);
  const Leaves leaves = look_at_leaves(*this);
  std::vector<std::pair<std::string, std::string>> text = {
      {"tree", fmt::format("{} inner nodes, {} leaves, depth {}", shape.inner_nodes, shape.leaves,
                           shape.depth)},
      {"mean depth", fmt::format("{:.1f} over the leaves, {:.1f} over the examples",
                                 shape.mean_depth, leaves.mean_depth())},
      {"counts", fmt::format("{} of a class at a node", count_entries(*this))}};
  if (row_of(config.method).grows_nodes) {
    text.emplace_back("leaves", fmt::format("{} of one class only, {:.0f} examples in the largest",
                                            leaves.pure, leaves.largest));
    text.emplace_back("classes predicted", std::to_string(leaves.predicted.size()));
  } else {
    text.emplace_back("leaves", fmt::format("{} with examples", leaves.used));
    text.emplace_back("recall at the leaves", fmt::format("{:.2f}%", 100.0 * leaves.recall()));
  }
  return text;
}

}  // namespace cane
