#include "online/lomtree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace cane {

LeafLaw::LeafLaw(std::span<const std::uint64_t> class_counts)
    : prior_(class_counts.begin(), class_counts.end()) {
  // Add-one smoothing, so that every class has nonzero probability.
  const double sum =
      std::accumulate(prior_.begin(), prior_.end(), 0.0) + static_cast<double>(prior_.size());
  for (double& share : prior_) share = (share + 1.0) / sum;
}

double LeafLaw::probability(const RoutingState& state, NodeId leaf, ClassId label) const {
  const double own = state.histograms[leaf].count(label);
  const double predicted = state.majorities[leaf] == label ? 1.0 : 0.0;
  return (own + predicted + prior_[label]) / (state.seen[leaf] + 2.0);
}

LomTreeLearner::LomTreeLearner(const OnlineInputs& inputs, const TrainConfig& config,
                               std::span<const std::uint64_t> class_counts, RoutingState& state,
                               RowLearner routers)
    : OnlineLearner(inputs),
      config_(&config),
      law_(class_counts),
      state_(&state),
      routers_(routers),
      least_(state.counts) {
  // Children have higher numbers than their parents: iterate backwards, so that children are done
  // first.
  std::vector<NodeId> order = {0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (state.tree.is_leaf(order[i])) continue;
    order.push_back(state.tree.child(order[i], false));
    order.push_back(state.tree.child(order[i], true));
  }
  for (std::size_t i = order.size(); i > 0; --i) {
    const NodeId node = order[i - 1];
    if (state.tree.is_leaf(node)) continue;
    least_[node] =
        std::min(least_[state.tree.child(node, false)], least_[state.tree.child(node, true)]);
  }
}

void LomTreeLearner::refresh_least(NodeId node) {
  const RoutingTree& tree = state_->tree;
  for (; node != RoutingTree::kNone; node = tree.parent(node)) {
    const double least = tree.is_leaf(node) ? state_->counts[node]
                                            : std::min(least_[tree.child(node, false)],
                                                       least_[tree.child(node, true)]);
    least_[node] = least;
  }
}

void LomTreeLearner::learn_example(const OnlineExample& example, Scratch& scratch,
                                   StepStats& totals) {
  const auto weight = static_cast<double>(example.weight);
  NodeId node = 0;
  bool is_number = true;
  while (!state_->tree.is_leaf(node) || split(node, example.label, weight)) {
    const float margin = pass(node, example, scratch);
    totals.rows_scored += 2;
    is_number = is_number && std::isfinite(margin);
    node = state_->tree.child(node, goes_right(margin));
  }
  const double loss = -std::log(law_.probability(*state_, node, example.label));
  totals.loss += is_number ? weight * loss : std::numeric_limits<double>::quiet_NaN();
  totals.covered += state_->majorities[node] == example.label ? 1 : 0;
  count_at_leaf(node, example.label, weight);
}

float LomTreeLearner::pass(NodeId node, const OnlineExample& example, Scratch& scratch) {
  const std::uint32_t row = state_->tree.row(node);
  const auto weight = static_cast<double>(example.weight);
  ClassEntry& entry = state_->histograms[node].at(example.label);
  const bool right = entry.value >= state_->margins[node];
  const float before = routers_.score(row, example.row);
  routers_.learn(row, example.row,
                 {before, right, example.weight, example.rate, example.input_steps}, scratch.steps);
  const float margin = routers_.score(row, example.row);
  entry.count += weight;
  state_->seen[node] += weight;
  state_->counts[node] += weight;
  const float seen = cut(margin);
  entry.value += (seen - entry.value) * static_cast<float>(weight / entry.count);
  state_->margins[node] +=
      (seen - state_->margins[node]) * static_cast<float>(weight / state_->seen[node]);
  return margin;
}

bool LomTreeLearner::split(NodeId leaf, ClassId label, double weight) {
  const auto entries = state_->histograms[leaf].entries();
  const bool is_pure = entries.empty() || (entries.size() == 1 && entries[0].label == label);
  if (is_pure) return false;
  if (state_->tree.inner_count() < config_->nodes) {
    state_->tree.split(leaf);
    state_->resize();
    least_.resize(state_->tree.node_count());
  } else {
    if (!is_worth_swapping(leaf, label, weight)) return false;
    const NodeId least = least_used_leaf();
    const NodeId parent = state_->tree.parent(least);
    if (least == leaf || parent == 0) return false;
    give_up(least);
    state_->tree.move_split(least, leaf);
    routers_.reset(state_->tree.row(leaf));
    refresh_least(state_->tree.parent(leaf));
  }
  begin_children(leaf);
  return true;
}

bool LomTreeLearner::is_worth_swapping(NodeId leaf, ClassId label, double weight) const {
  const ClassHistogram& histogram = state_->histograms[leaf];
  const double majority =
      std::max(histogram.count(state_->majorities[leaf]), histogram.count(label) + weight);
  return state_->seen[leaf] + weight - majority >
         static_cast<double>(config_->swap_resistance) * (least_[0] + 1.0);
}

NodeId LomTreeLearner::least_used_leaf() const {
  const RoutingTree& tree = state_->tree;
  NodeId node = 0;
  while (!tree.is_leaf(node)) {
    const NodeId left = tree.child(node, false);
    node = least_[left] == least_[node] ? left : tree.child(node, true);
  }
  return node;
}

// Removes a leaf. The counts of its ancestors no longer include its examples.
void LomTreeLearner::give_up(NodeId leaf) {
  const RoutingTree& tree = state_->tree;
  const NodeId parent = tree.parent(leaf);
  const NodeId sibling = tree.child(parent, tree.child(parent, false) == leaf);
  state_->counts[parent] = state_->counts[sibling];
  least_[parent] = least_[sibling];
  for (NodeId node = tree.parent(parent); node != RoutingTree::kNone; node = tree.parent(node)) {
    state_->counts[node] -= state_->counts[leaf];
  }
  refresh_least(tree.parent(parent));
}

void LomTreeLearner::begin_children(NodeId node) {
  RoutingState& state = *state_;
  for (const bool right : {false, true}) {
    const NodeId child = state.tree.child(node, right);
    const double half = std::floor(0.5 * state.counts[node]);
    state.counts[child] = right ? state.counts[node] - half : half;
    least_[child] = state.counts[child];
    state.seen[child] = 0.0;
    state.margins[child] = 0.0F;
    state.majorities[child] = state.majorities[node];
    state.histograms[child].clear();
  }
  state.seen[node] = 0.0;
  state.margins[node] = 0.0F;
  state.histograms[node].clear();
  refresh_least(node);
}

void LomTreeLearner::count_at_leaf(NodeId leaf, ClassId label, double weight) {
  RoutingState& state = *state_;
  ClassHistogram& histogram = state.histograms[leaf];
  histogram.add(label, weight, 0);
  state.counts[leaf] += weight;
  state.seen[leaf] += weight;
  const double own = histogram.count(label);
  const double majority = histogram.count(state.majorities[leaf]);
  if (own > majority || (own == majority && label < state.majorities[leaf])) {
    state.majorities[leaf] = label;
  }
  refresh_least(leaf);
}

LomTreeClassifier::Place LomTreeClassifier::descend(const RowView& row) const {
  const RoutingTree& tree = state_->tree;
  Place place = {0, 0};
  while (!tree.is_leaf(place.leaf)) {
    const float margin = routers_.score(tree.row(place.leaf), row);
    place.leaf = tree.child(place.leaf, goes_right(margin));
    ++place.scored;
  }
  return place;
}

float LomTreeClassifier::log_probability(NodeId leaf, ClassId label) const {
  return static_cast<float>(std::log(law_.probability(*state_, leaf, label)));
}

std::uint64_t LomTreeClassifier::look(const RowView& row, std::uint32_t keep,
                                      std::vector<Candidate>& found) const {
  const Place place = descend(row);
  const ClassId majority = state_->majorities[place.leaf];
  found.push_back({majority, log_probability(place.leaf, majority)});
  if (keep == 1) return place.scored;
  for (const ClassEntry& entry : state_->histograms[place.leaf].entries()) {
    if (entry.label == majority) continue;
    found.push_back({entry.label, log_probability(place.leaf, entry.label)});
  }
  return place.scored;
}

std::uint64_t LomTreeClassifier::score(const RowView& row, std::span<const ClassId> labels,
                                       float* scores) const {
  const Place place = descend(row);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    scores[i] = log_probability(place.leaf, labels[i]);
  }
  return place.scored;
}

}  // namespace cane
