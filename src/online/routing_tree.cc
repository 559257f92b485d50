#include "online/routing_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "cane/error.h"

namespace cane {
namespace {

[[noreturn]] void fail(const char* what, NodeId node) {
  throw Error(fmt::format("the routing tree is no tree: node {} {}", node, what));
}

}  // namespace

RoutingTree::RoutingTree(std::vector<NodeId> left, std::vector<NodeId> right,
                         std::vector<std::uint32_t> rows)
    : left_(std::move(left)), right_(std::move(right)), rows_(std::move(rows)) {
  const std::size_t nodes = left_.size();
  if (nodes % 2 == 0 || nodes > kNone || right_.size() != nodes || rows_.size() != nodes) {
    throw Error("the routing tree is no tree: its arrays do not fit together");
  }
  parents_.assign(nodes, kNone);
  std::vector<bool> has_router(nodes / 2, false);
  for (NodeId node = 0; node < nodes; ++node) {
    const bool leaf = left_[node] == kNone;
    if (leaf != (right_[node] == kNone) || leaf != (rows_[node] == kNone)) {
      fail("is neither a leaf nor an inner node", node);
    }
    if (leaf) continue;
    for (const NodeId child : {left_[node], right_[node]}) {
      if (child >= nodes) fail("has a child that is not there", node);
      if (child == 0 || parents_[child] != kNone) fail("has a child that is another's", node);
      parents_[child] = node;
    }
    if (rows_[node] >= has_router.size() || has_router[rows_[node]]) {
      fail("has a router that is another's or not there", node);
    }
    has_router[rows_[node]] = true;
  }
  // Every node but the root has at most one parent, so what is reached from the root is a tree.
  std::size_t reached = 0;
  std::vector<NodeId> open = {0};
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    ++reached;
    if (is_leaf(node)) continue;
    open.push_back(left_[node]);
    open.push_back(right_[node]);
  }
  if (reached != nodes) {
    throw Error("the routing tree is no tree: not all nodes can be reached from the root");
  }
}

RoutingTree RoutingTree::full(std::uint32_t depth) {
  assert(depth < 31);
  const NodeId inner = (NodeId{1} << depth) - 1;
  std::vector<NodeId> left(2 * std::size_t{inner} + 1, kNone);
  std::vector<NodeId> right = left;
  std::vector<std::uint32_t> rows = left;
  for (NodeId node = 0; node < inner; ++node) {
    left[node] = 2 * node + 1;
    right[node] = 2 * node + 2;
    rows[node] = node;
  }
  return {std::move(left), std::move(right), std::move(rows)};
}

RoutingTree RoutingTree::of(const ClassTree& tree) {
  assert(tree.arity() == 2);
  std::vector<NodeId> left(tree.node_count(), kNone);
  std::vector<NodeId> right = left;
  std::vector<std::uint32_t> rows = left;
  std::uint32_t inner = 0;
  for (NodeId node = 0; node < tree.node_count(); ++node) {
    if (tree.is_leaf(node)) continue;
    left[node] = tree.first_child(node);
    right[node] = tree.first_child(node) + 1;
    rows[node] = inner++;
  }
  return {std::move(left), std::move(right), std::move(rows)};
}

void RoutingTree::become_inner(NodeId leaf, NodeId left, NodeId right, std::uint32_t row) {
  left_[leaf] = left;
  right_[leaf] = right;
  rows_[leaf] = row;
  for (const NodeId child : {left, right}) {
    parents_[child] = leaf;
    left_[child] = right_[child] = rows_[child] = kNone;
  }
}

void RoutingTree::split(NodeId leaf) {
  assert(is_leaf(leaf));
  const NodeId first = node_count();
  const std::uint32_t row = inner_count();
  for (auto* array : {&left_, &right_, &rows_, &parents_}) array->resize(first + 2, kNone);
  become_inner(leaf, first, first + 1, row);
}

void RoutingTree::move_split(NodeId given_up, NodeId leaf) {
  const NodeId parent = parents_[given_up];
  assert(is_leaf(given_up) && is_leaf(leaf) && given_up != leaf && parent != 0);
  const NodeId sibling = child(parent, left_[parent] == given_up);
  const NodeId above = parents_[parent];
  (left_[above] == parent ? left_ : right_)[above] = sibling;
  parents_[sibling] = above;
  become_inner(leaf, given_up, parent, rows_[parent]);
}

RoutingShape shape_of(const RoutingTree& tree) {
  RoutingShape shape;
  shape.inner_nodes = tree.inner_count();
  shape.leaves = tree.node_count() - tree.inner_count();
  std::uint64_t depths = 0;
  std::vector<std::pair<NodeId, std::uint32_t>> open = {{0, 0}};
  while (!open.empty()) {
    const auto [node, depth] = open.back();
    open.pop_back();
    if (tree.is_leaf(node)) {
      shape.depth = std::max(shape.depth, depth);
      depths += depth;
      continue;
    }
    open.emplace_back(tree.child(node, false), depth + 1);
    open.emplace_back(tree.child(node, true), depth + 1);
  }
  shape.mean_depth = static_cast<double>(depths) / shape.leaves;
  return shape;
}

}  // namespace cane
