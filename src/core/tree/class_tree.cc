#include "core/tree/class_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "cane/error.h"

namespace cane {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error("not a tree of classes: " + what + "; build the tree again");
}

// Throws unless every node except the root is the child of an earlier node: the counts then
// describe a single tree in level order.
void check_counts(const std::vector<std::uint32_t>& child_counts) {
  if (child_counts.size() > std::numeric_limits<NodeId>::max()) fail("too many nodes");
  std::uint64_t reached = 1;
  for (std::size_t node = 0; node < child_counts.size(); ++node) {
    if (node >= reached) fail(fmt::format("node {} is no node's child", node));
    if (child_counts[node] == 1) fail(fmt::format("node {} has a single child", node));
    reached += child_counts[node];
    if (reached > child_counts.size()) {
      fail(fmt::format("the children of node {} are missing", node));
    }
  }
}

}  // namespace

ClassTree::ClassTree(std::vector<std::uint32_t> child_counts, std::vector<ClassId> leaf_classes)
    : child_counts_(std::move(child_counts)) {
  const auto leaf_count = std::ranges::count(child_counts_, 0U);
  if (leaf_count < 2) fail(fmt::format("it has {} leaves, and at least 2 are needed", leaf_count));
  check_counts(child_counts_);
  class_count_ = static_cast<std::uint32_t>(leaf_count);
  if (leaf_classes.size() != class_count_) {
    fail(fmt::format("{} leaves, but {} classes", class_count_, leaf_classes.size()));
  }

  const NodeId nodes = node_count();
  first_children_.resize(nodes);
  parents_.resize(nodes);
  lowest_classes_.assign(nodes, kUnknownClass);
  leaves_.assign(class_count_, nodes);
  NodeId next_child = 1;
  NodeId level_end = 1;
  std::size_t next_leaf = 0;
  for (NodeId node = 0; node < nodes; ++node) {
    if (node == level_end) {
      ++depth_;
      level_end = next_child;
    }
    const std::uint32_t count = child_counts_[node];
    arity_ = std::max(arity_, count);
    first_children_[node] = next_child;
    std::fill_n(parents_.begin() + next_child, count, node);
    next_child += count;
    if (count > 0) continue;
    const ClassId label = leaf_classes[next_leaf++];
    if (label >= class_count_) fail(fmt::format("class {} of {}", label, class_count_));
    if (leaves_[label] != nodes) fail(fmt::format("class {} has two leaves", label));
    leaves_[label] = node;
    lowest_classes_[node] = label;
  }
  for (NodeId node = nodes - 1; node > 0; --node) {
    ClassId& lowest = lowest_classes_[parents_[node]];
    lowest = std::min(lowest, lowest_classes_[node]);
  }
}

std::vector<ClassId> ClassTree::leaf_order() const {
  std::vector<ClassId> order;
  if (class_count_ == 0) return order;
  order.reserve(class_count_);
  std::vector<NodeId> pending = {0};
  while (!pending.empty()) {
    const NodeId node = pending.back();
    pending.pop_back();
    if (is_leaf(node)) order.push_back(leaf_class(node));
    for (std::uint32_t child = child_count(node); child-- > 0;) {
      pending.push_back(first_child(node) + child);
    }
  }
  return order;
}

std::vector<ClassId> ClassTree::leaf_classes() const {
  std::vector<ClassId> classes;
  classes.reserve(class_count_);
  for (NodeId node = 0; node < node_count(); ++node) {
    if (is_leaf(node)) classes.push_back(leaf_class(node));
  }
  return classes;
}

void check_arity(std::uint32_t arity) {
  if (arity >= 2) return;
  throw OptionError("arity", fmt::format("a tree of arity {} cannot branch", arity),
                    "take 2 or more");
}

void check_class_count(std::size_t classes) {
  constexpr std::size_t kMaxClasses = std::size_t{1} << 31;
  if (classes < 2) {
    throw Error(
        fmt::format("a tree needs at least 2 classes, and the data has {}; check `format` "
                    "and the labels",
                    classes));
  }
  if (classes > kMaxClasses) {
    throw Error(
        fmt::format("{} classes are more than the {} a tree can hold", classes, kMaxClasses));
  }
}

}  // namespace cane
