#include "search/centroid_search.h"

#include <algorithm>
#include <limits>

#include "core/simd/select_best.h"
#include "core/simd/softmax_kernels.h"

namespace cane {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

static_assert(kCodeColumns % kSelectMultiple == 0);

void CentroidSearch::quantize(const RowView& row, Example& example) {
  const FeatureId dimension = index_.dimension();
  std::span<const float> x(row.values, row.count);
  if (row.indices != nullptr || row.count < dimension) {
    dense_.assign(dimension, 0.0F);
    for (std::uint32_t p = 0; p < row.count; ++p) {
      dense_[row.indices == nullptr ? p : row.indices[p]] = row.values[p];
    }
    x = dense_;
  }
  example.values.resize(code_values(dimension));
  const float scale = quantize_query(x.first(dimension), example.values.data());
  example.query = {example.values.data(), scale};
}

std::uint64_t CentroidSearch::search(std::span<const RowView> rows, std::uint32_t width,
                                     std::uint32_t keep, std::span<const float> margins,
                                     ClassLists& found) {
  keep = std::min(keep, index_.tree().class_count());
  count_ = rows.size();
  if (examples_.size() < count_) examples_.resize(count_);
  for (std::size_t e = 0; e < count_; ++e) {
    Example& example = examples_[e];
    quantize(rows[e], example);
    example.nodes.assign(1, {0, 0.0F});
    example.highest.clear();
    example.leaf_scores.clear();
    example.leaves.clear();
    example.followed.clear();
    example.classes = 0;
  }
  std::uint64_t scored = 0;
  bool is_done = false;
  for (std::size_t level = 0; !is_done; ++level) {
    is_done = true;
    const float margin = margins.empty() ? kInfinity : margins[std::min(level, margins.size() - 1)];
    for (std::size_t e = 0; e < count_; ++e) {
      scored += descend(examples_[e], width, keep, margin);
      is_done = is_done && examples_[e].nodes.empty();
    }
  }
  for (std::size_t e = 0; e < count_; ++e) {
    keep_leaves(examples_[e], keep);
    for (const Place& leaf : examples_[e].best) {
      found.classes.push_back(index_.tree().leaf_class(leaf.node));
    }
    found.end_list();
  }
  return scored;
}

// Replaces the nodes of an example by the best of their children; leaves are put aside.
std::uint64_t CentroidSearch::descend(Example& example, std::uint32_t width, std::uint32_t keep,
                                      float margin) {
  const ClassTree& tree = index_.tree();
  std::uint64_t scored = 0;
  std::size_t size = 0;
  if (keeps_frontier_) {
    example.followed.insert(example.followed.end(), example.nodes.begin(), example.nodes.end());
  }
  for (const Place& place : example.nodes) {
    const std::size_t columns = index_.columns(place.node);
    scored += tree.child_count(place.node);
    if (index_.is_above_leaves(place.node)) {
      const std::size_t begin = example.leaf_scores.size();
      example.leaf_scores.resize(begin + columns);
      index_.score(place.node, example.query, place.score, example.leaf_scores.data() + begin);
      example.leaves.push_back({begin, tree.first_child(place.node), tree.child_count(place.node)});
      example.classes += tree.child_count(place.node);
    } else {
      if (scores_.size() < size + columns) scores_.resize(size + columns);
      index_.score(place.node, example.query, place.score, scores_.data() + size);
      size += columns;
    }
  }
  const float highest = max_of(scores_.data(), size);
  example.highest.push_back(highest);
  next_.clear();
  const float* scores = scores_.data();
  for (const Place& place : example.nodes) {
    if (index_.is_above_leaves(place.node)) continue;
    const NodeId first = tree.first_child(place.node);
    const std::uint32_t count = tree.child_count(place.node);
    for (std::uint32_t c = 0; c < count; ++c) {
      // Scores that are no numbers pass: no example is left without a class.
      if (!(scores[c] < highest - margin)) next_.push_back({first + c, scores[c]});
    }
    scores += index_.columns(place.node);
  }
  if (classes_below(next_) + example.classes < keep) add_best_children(example, keep);
  std::erase_if(next_, [&](const Place& place) {
    if (!tree.is_leaf(place.node)) return false;
    example.leaves.push_back({example.leaf_scores.size(), place.node, 1});
    example.leaf_scores.push_back(place.score);
    ++example.classes;
    return true;
  });
  if (next_.size() > width) {
    std::nth_element(next_.begin(), next_.begin() + (width - 1), next_.end(), is_better_place);
    next_.resize(width);
  }
  for (const Place& place : next_) index_.prefetch(place.node);
  example.nodes.swap(next_);
  return scored;
}

std::uint64_t CentroidSearch::classes_below(std::span<const Place> places) const {
  std::uint64_t classes = 0;
  for (const Place& place : places) {
    classes += index_.tree().is_leaf(place.node) ? 1 : index_.below(place.node);
  }
  return classes;
}

// Where margins leave too few classes: takes the best children of all, as few as hold enough.
void CentroidSearch::add_best_children(const Example& example, std::uint32_t keep) {
  const ClassTree& tree = index_.tree();
  next_.clear();
  const float* scores = scores_.data();
  for (const Place& place : example.nodes) {
    if (index_.is_above_leaves(place.node)) continue;
    for (std::uint32_t c = 0; c < tree.child_count(place.node); ++c) {
      next_.push_back({tree.first_child(place.node) + c, scores[c]});
    }
    scores += index_.columns(place.node);
  }
  std::ranges::sort(next_, is_better_place);
  std::uint64_t classes = example.classes;
  std::size_t count = 0;
  for (; count < next_.size() && classes < keep; ++count) {
    classes += classes_below(std::span(next_).subspan(count, 1));
  }
  next_.resize(count);
}

void CentroidSearch::keep_leaves(Example& example, std::uint32_t keep) {
  std::vector<float>& scores = example.leaf_scores;
  scores.resize((scores.size() + kSelectMultiple - 1) / kSelectMultiple * kSelectMultiple,
                -kInfinity);
  const auto missing = static_cast<std::size_t>(std::ranges::count(scores, -kInfinity));
  const auto node_at = [&](std::size_t place) {
    const auto after = std::ranges::upper_bound(example.leaves, place, {}, &Leaves::begin);
    return (after - 1)->first + static_cast<NodeId>(place - (after - 1)->begin);
  };
  example.best.clear();
  places_.resize(keep);
  if (keep <= kSelectMost && scores.size() - missing > keep &&
      select_best(scores, keep, places_.data())) {
    for (const std::uint32_t place : places_) {
      example.best.push_back({node_at(place), scores[place]});
    }
    return;
  }
  for (std::size_t place = 0; place < scores.size(); ++place) {
    if (scores[place] == -kInfinity) continue;
    example.best.push_back({node_at(place), scores[place]});
  }
  const auto kept = std::min<std::size_t>(keep, example.best.size());
  const ClassTree& tree = index_.tree();
  std::ranges::partial_sort(example.best, example.best.begin() + static_cast<std::ptrdiff_t>(kept),
                            [&](const Place& a, const Place& b) {
                              return is_better(Candidate{tree.leaf_class(a.node), a.score},
                                               Candidate{tree.leaf_class(b.node), b.score});
                            });
  example.best.resize(kept);
}

void CentroidSearch::add_frontier(std::uint32_t example, std::vector<Place>& frontier) {
  const ClassTree& tree = index_.tree();
  const Example& searched = examples_[example];
  followed_.clear();
  for (const Place& place : searched.followed) followed_.push_back(place.node);
  std::ranges::sort(followed_);
  scores_.resize(std::max(scores_.size(), index_.most_columns()));
  for (const Place& place : searched.followed) {
    if (index_.is_above_leaves(place.node)) continue;
    index_.score(place.node, searched.query, place.score, scores_.data());
    for (std::uint32_t c = 0; c < tree.child_count(place.node); ++c) {
      const NodeId child = tree.first_child(place.node) + c;
      if (!std::ranges::binary_search(followed_, child)) frontier.push_back({child, scores_[c]});
    }
  }
  for (const Leaves& leaves : searched.leaves) {
    // A single leaf is a child of a node above.
    if (!index_.is_above_leaves(tree.parent(leaves.first))) continue;
    for (std::uint32_t i = 0; i < leaves.count; ++i) {
      frontier.push_back({leaves.first + i, searched.leaf_scores[leaves.begin + i]});
    }
  }
}

void CentroidSearch::measure_gaps(std::vector<std::vector<Gap>>& gaps) {
  const ClassTree& tree = index_.tree();
  std::vector<NodeId> path;
  std::vector<float> weights;
  for (std::size_t e = 0; e < count_; ++e) {
    const Example& example = examples_[e];
    weights.clear();
    for (const Place& leaf : example.best) weights.push_back(leaf.score);
    const float highest = max_of(weights.data(), weights.size());
    const float sum = exp_and_sum(weights.data(), weights.size(), highest, weights.data());
    for (std::size_t i = 0; i < example.best.size(); ++i) {
      path.clear();
      NodeId node = tree.parent(example.best[i].node);
      for (; node != 0; node = tree.parent(node)) path.push_back(node);
      std::reverse(path.begin(), path.end());
      float score = 0.0F;
      for (std::size_t level = 0; level < std::min(path.size(), gaps.size()); ++level) {
        scores_.resize(index_.most_columns());
        index_.score(tree.parent(path[level]), example.query, score, scores_.data());
        score = scores_[path[level] - tree.first_child(tree.parent(path[level]))];
        gaps[level].push_back({example.highest[level] - score, example.best[i].score - score,
                               index_.spread(path[level]), weights[i] / sum});
      }
    }
  }
}

}  // namespace cane
