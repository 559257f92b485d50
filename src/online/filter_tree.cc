#include "online/filter_tree.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace cane {
namespace {

// Penalty on the score of a class for each decision against it.
float cost_against(float margin) {
  return 1.0F + std::abs(margin);
}

// A subtree still to be searched, ordered by cost, then by node number.
struct Open {
  float cost;
  NodeId node;
  bool operator>(const Open& other) const {
    return cost != other.cost ? cost > other.cost : node > other.node;
  }
};

}  // namespace

void FilterTreeLearner::learn_example(const OnlineExample& example, Scratch& scratch,
                                      StepStats& totals) {
  bool won = true;
  double loss = 0.0;
  for (NodeId node = classes_->leaf_of(example.label); won && node != 0;) {
    const NodeId match = tree_.parent(node);
    const bool right = tree_.child(match, true) == node;
    const float margin = routers_.score(tree_.row(match), example.row);
    ++totals.rows_scored;
    loss += row_loss(margin, right);
    routers_.learn(tree_.row(match), example.row,
                   {margin, right, example.weight, example.rate, example.input_steps},
                   scratch.steps);
    won = goes_right(margin) == right;
    node = match;
  }
  totals.loss += loss * static_cast<double>(example.weight);
  totals.covered += won ? 1 : 0;
}

std::uint64_t FilterTreeClassifier::look(const RowView& row, std::uint32_t keep,
                                         std::vector<Candidate>& found) const {
  std::uint64_t scored = 0;
  std::vector<Open> open = {{0.0F, 0}};
  const std::size_t enough = found.size() + keep;
  while (!open.empty() && found.size() < enough) {
    std::pop_heap(open.begin(), open.end(), std::greater<>());
    Open at = open.back();
    open.pop_back();
    while (!tree_.is_leaf(at.node)) {
      const float margin = routers_.score(tree_.row(at.node), row);
      ++scored;
      const bool right = goes_right(margin);
      if (keep > 1) {
        open.push_back({at.cost + cost_against(margin), tree_.child(at.node, !right)});
        std::push_heap(open.begin(), open.end(), std::greater<>());
      }
      at.node = tree_.child(at.node, right);
    }
    found.push_back({classes_->leaf_class(at.node), -at.cost});
  }
  return scored;
}

std::uint64_t FilterTreeClassifier::score(const RowView& row, std::span<const ClassId> labels,
                                          float* scores) const {
  std::uint64_t scored = 0;
  std::vector<NodeId> path;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (NodeId node = classes_->leaf_of(labels[i]); node != 0; node = tree_.parent(node)) {
      path.push_back(node);
    }
    // From the root down, so that costs are summed in the same order as in the search.
    float cost = 0.0F;
    for (; !path.empty(); path.pop_back()) {
      const NodeId node = path.back();
      const NodeId match = tree_.parent(node);
      const float margin = routers_.score(tree_.row(match), row);
      ++scored;
      if (tree_.child(match, goes_right(margin)) != node) cost += cost_against(margin);
    }
    scores[i] = -cost;
  }
  return scored;
}

}  // namespace cane
