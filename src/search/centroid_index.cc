#include "search/centroid_index.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cane {
namespace {

NodeId end_of_inner_nodes(const ClassTree& tree) {
  NodeId bound = tree.node_count();
  while (bound > 0 && tree.is_leaf(bound - 1)) --bound;
  return bound;
}

std::size_t panels_of(std::uint32_t children) {
  return (children + kCodeColumns - 1) / kCodeColumns;
}

float square_of(const float* values, std::size_t count) {
  return std::inner_product(values, values + count, values, 0.0F);
}

// Nodes whose children are stored by one task.
constexpr std::size_t kNodesPerTask = 64;

}  // namespace

CentroidIndex::CentroidIndex(const ClassTree& tree, FeatureId dimension)
    : tree_(&tree), dimension_(dimension), inner_bound_(end_of_inner_nodes(tree)) {
  for (NodeId begin = 0, end = 1; begin < inner_bound_;) {
    levels_.push_back({begin, std::min(end, inner_bound_)});
    NodeId next = end;
    for (NodeId node = begin; node < end; ++node) next += tree.child_count(node);
    begin = end;
    end = next;
  }
  offsets_.push_back(0);
  below_.assign(inner_bound_, 0);
  spreads_.assign(inner_bound_, 0.0F);
  for (NodeId node = 0; node < inner_bound_; ++node) {
    const std::size_t panels = panels_of(tree.child_count(node));
    offsets_.push_back(offsets_.back() + panels);
    most_columns_ = std::max(most_columns_, panels * kCodeColumns);
  }
  for (NodeId node = tree.node_count(); node-- > 1;) {
    below_[tree.parent(node)] += tree.is_leaf(node) ? 1 : below_[node];
  }
  means_ = Buffer<float>(inner_bound_ * (std::size_t{dimension} + 1));
  codes_ = Buffer<std::byte>(offsets_.back() * code_panel_bytes(dimension));
}

std::uint64_t CentroidIndex::bytes(const ClassTree& tree, FeatureId dimension) {
  const NodeId inner = end_of_inner_nodes(tree);
  std::uint64_t panels = 0;
  for (NodeId node = 0; node < inner; ++node) panels += panels_of(tree.child_count(node));
  return panels * code_panel_bytes(dimension) +
         inner * (std::uint64_t{dimension} + 1) * sizeof(float);
}

template <typename Body>
void CentroidIndex::for_each_inner(const Level& level, ThreadPool* pool, const Body& body) const {
  const auto run = [&](std::size_t task, int /*worker*/) {
    std::vector<float> scratch(std::size_t{dimension_} + 1);
    const auto begin = level.begin + static_cast<NodeId>(task * kNodesPerTask);
    const NodeId end = std::min<NodeId>(level.end, begin + kNodesPerTask);
    for (NodeId node = begin; node < end; ++node) {
      if (!tree_->is_leaf(node)) body(node, std::span(scratch));
    }
  };
  const std::size_t tasks = (level.end - level.begin + kNodesPerTask - 1) / kNodesPerTask;
  if (pool != nullptr) {
    pool->run(tasks, run);
  } else {
    for (std::size_t task = 0; task < tasks; ++task) run(task, 0);
  }
}

void CentroidIndex::build(const ClassRow& row, ThreadPool* pool) {
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    for_each_inner(*level, pool, [&](NodeId node, std::span<float> scratch) {
      add_children(node, row, scratch);
    });
  }
  // The scores of an example are compared with each other only, so the root may stand for zero.
  for (const Level& level : levels_) {
    for_each_inner(level, pool, [&](NodeId node, std::span<float> scratch) {
      store_children(node, row, scratch);
    });
  }
}

void CentroidIndex::add_spreads(std::span<const float> factors, ThreadPool* pool) {
  const auto added = [&](NodeId node, std::size_t level) {
    return node == 0 || node >= inner_bound_ || tree_->is_leaf(node)
               ? 0.0F
               : factors[std::min(level, factors.size()) - 1] * spreads_[node];
  };
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    for_each_inner(levels_[level], pool, [&](NodeId node, std::span<float> /*scratch*/) {
      for (std::uint32_t c = 0; c < tree_->child_count(node); ++c) {
        const float change = added(tree_->first_child(node) + c, level + 1) - added(node, level);
        std::byte* panel =
            codes_.data() + (offsets_[node] + c / kCodeColumns) * code_panel_bytes(dimension_);
        if (std::isfinite(change)) add_bias(change, c % kCodeColumns, panel);
      }
    });
  }
}

void CentroidIndex::add_children(NodeId node, const ClassRow& row, std::span<float> scratch) {
  float* const mean = means_.data() + node * scratch.size();
  std::fill_n(mean, scratch.size(), 0.0F);
  float squares = 0.0F;
  const NodeId first = tree_->first_child(node);
  for (NodeId child = first; child < first + tree_->child_count(node); ++child) {
    const bool is_leaf = tree_->is_leaf(child);
    if (is_leaf) row(tree_->leaf_class(child), scratch);
    const float* values = is_leaf ? scratch.data() : means_.data() + child * scratch.size();
    const float share =
        (is_leaf ? 1.0F : static_cast<float>(below_[child])) / static_cast<float>(below_[node]);
    for (std::size_t i = 0; i < scratch.size(); ++i) mean[i] += share * values[i];
    squares += share * (square_of(values, dimension_) + (is_leaf ? 0.0F : spreads_[child]));
  }
  spreads_[node] = std::max(squares - square_of(mean, dimension_), 0.0F);
}

void CentroidIndex::store_children(NodeId node, const ClassRow& row, std::span<float> scratch) {
  const float* const parent = means_.data() + node * scratch.size();
  const std::size_t bytes = code_panel_bytes(dimension_);
  std::byte* const panels = codes_.data() + offsets_[node] * bytes;
  for (std::size_t p = 0; p < offsets_[node + 1] - offsets_[node]; ++p) {
    clear_panel(dimension_, panels + p * bytes);
  }
  for (std::uint32_t c = 0; c < tree_->child_count(node); ++c) {
    const NodeId child = tree_->first_child(node) + c;
    float* const mean = means_.data() + child * scratch.size();
    if (tree_->is_leaf(child)) {
      row(tree_->leaf_class(child), scratch);
    } else {
      std::copy_n(mean, scratch.size(), scratch.data());
    }
    for (std::size_t i = 0; i < scratch.size(); ++i) scratch[i] -= parent[i];
    store_code(scratch.first(dimension_), scratch[dimension_], c % kCodeColumns,
               panels + c / kCodeColumns * bytes);
    if (tree_->is_leaf(child)) continue;
    for (std::size_t i = 0; i < dimension_; ++i) mean[i] = parent[i] + scratch[i];
  }
}

}  // namespace cane
