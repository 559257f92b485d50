#include "model/routing_state.h"

#include <algorithm>
#include <cmath>

namespace cane {
namespace {

// Sums of weights that are no whole numbers are rounded.
bool is_about(double a, double b) {
  return std::abs(a - b) <= 1e-6 * (1.0 + std::max(std::abs(a), std::abs(b)));
}

bool is_count(double value) {
  return std::isfinite(value) && value >= 0.0;
}

const char* validation_error_of_entries(const RoutingState& state, NodeId node,
                                        std::uint32_t classes) {
  for (const ClassEntry& entry : state.histograms[node].entries()) {
    if (entry.label >= classes) return "a node counts a class that is not there";
    if (!is_count(entry.count)) return "a count of a class is none";
    if (!std::isfinite(entry.value)) return "a node has a value that is no number";
    if (!is_count(static_cast<double>(entry.square))) return "a sum of squares is none";
  }
  return nullptr;
}

double sum_of_counts(const ClassHistogram& histogram) {
  double sum = 0.0;
  for (const ClassEntry& entry : histogram.entries()) sum += entry.count;
  return sum;
}

double sum_of_children(const RoutingState& state, NodeId node) {
  return state.counts[state.tree.child(node, false)] + state.counts[state.tree.child(node, true)];
}

const char* validation_error_of_lomtree(const RoutingState& state, NodeId node) {
  const ClassHistogram& histogram = state.histograms[node];
  if (!state.tree.is_leaf(node)) {
    return is_about(state.counts[node], sum_of_children(state, node))
               ? nullptr
               : "the count of a node is not the sum of its children's";
  }
  if (state.seen[node] > state.counts[node] && !is_about(state.seen[node], state.counts[node])) {
    return "a leaf knows the classes of more examples than came there";
  }
  const double majority = histogram.count(state.majorities[node]);
  for (const ClassEntry& entry : histogram.entries()) {
    if (entry.count > majority) return "a leaf does not predict its most frequent class";
  }
  return nullptr;
}

const char* validation_error_of_recall_tree(const RoutingState& state, NodeId node) {
  const double count = state.counts[node];
  if (!is_about(count, state.seen[node])) return "a node has examples of no class";
  if (state.tree.is_leaf(node)) return nullptr;
  const double below = sum_of_children(state, node);
  return below <= count || is_about(below, count)
             ? nullptr
             : "the count of a node is less than that of its children";
}

}  // namespace

void RoutingState::resize() {
  const std::size_t nodes = tree.node_count();
  counts.resize(nodes);
  margins.resize(nodes);
  seen.resize(nodes);
  majorities.resize(nodes);
  histograms.resize(nodes);
}

RoutingState initial_routing(const TrainConfig& config, std::uint32_t classes) {
  RoutingState state;
  if (config.method == Method::kRecallTree) state.tree = RoutingTree::full(config.max_depth);
  state.resize();
  if (config.method == Method::kRecallTree && config.max_candidates >= classes) {
    // All classes are candidates, seen or not.
    for (ClassHistogram& histogram : state.histograms) {
      for (ClassId label = 0; label < classes; ++label) histogram.at(label);
      histogram.rank(classes);
    }
  }
  return state;
}

const char* validation_error(const RoutingState& state, const TrainConfig& config,
                             std::uint32_t classes) {
  const bool is_lomtree = config.method == Method::kLomTree;
  if (is_lomtree && state.tree.inner_count() > config.nodes) {
    return "the tree has more nodes than its options allow";
  }
  if (!is_lomtree && (state.tree.inner_count() != (1U << config.max_depth) - 1 ||
                      state.tree != RoutingTree::full(config.max_depth))) {
    return "the tree is not the one of its options";
  }
  for (NodeId node = 0; node < state.tree.node_count(); ++node) {
    if (!is_count(state.counts[node])) return "a count of a node is none";
    if (state.majorities[node] >= classes) return "a leaf predicts a class that is not there";
    if (!std::isfinite(state.margins[node])) return "a node has a value that is no number";
    if (const char* what = validation_error_of_entries(state, node, classes)) return what;
    if (!is_about(state.seen[node], sum_of_counts(state.histograms[node]))) {
      return "the count of a node is not the sum of its classes'";
    }
    const char* what = is_lomtree ? validation_error_of_lomtree(state, node)
                                  : validation_error_of_recall_tree(state, node);
    if (what != nullptr) return what;
  }
  return nullptr;
}

}  // namespace cane
