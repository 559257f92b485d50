#include "tree/routing_tree.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "support/error_text.h"
#include "tree/balanced_tree.h"

namespace cane {
namespace {

constexpr std::uint32_t kNone = RoutingTree::kNone;

std::string refusal(std::vector<NodeId> left, std::vector<NodeId> right,
                    std::vector<std::uint32_t> rows) {
  return testing::error_text([&] { RoutingTree(left, right, rows); });
}

TEST(RoutingTree, BeginsAsOneLeaf) {
  const RoutingTree tree;
  EXPECT_EQ(tree.node_count(), 1U);
  EXPECT_EQ(tree.inner_count(), 0U);
  EXPECT_TRUE(tree.is_leaf(0));
  EXPECT_EQ(tree.parent(0), kNone);
}

TEST(RoutingTree, AFullTreeHasAllLeavesAtItsDepth) {
  for (const std::uint32_t depth : {0U, 1U, 5U}) {
    const RoutingShape shape = shape_of(RoutingTree::full(depth));
    EXPECT_EQ(shape.leaves, 1U << depth);
    EXPECT_EQ(shape.inner_nodes, (1U << depth) - 1);
    EXPECT_EQ(shape.depth, depth);
    EXPECT_EQ(shape.mean_depth, depth);
  }
}

TEST(RoutingTree, KeepsTheNodesOfATreeOfClasses) {
  const ClassTree classes = balanced_tree(class_order(13), 2);
  const RoutingTree tree = RoutingTree::of(classes);
  ASSERT_EQ(tree.node_count(), classes.node_count());
  EXPECT_EQ(tree.inner_count(), 12U);
  for (NodeId node = 1; node < tree.node_count(); ++node) {
    EXPECT_EQ(tree.parent(node), classes.parent(node));
    EXPECT_EQ(tree.is_leaf(node), classes.is_leaf(node));
  }
}

TEST(RoutingTree, RefusesWhatIsNoTree) {
  EXPECT_NE(refusal({}, {}, {}).find("do not fit"), std::string::npos);
  EXPECT_NE(refusal({1, kNone}, {1, kNone}, {0, kNone}).find("do not fit"), std::string::npos);
  // A child that is not there, one that is the root, one that has two parents.
  EXPECT_NE(refusal({1, kNone, kNone}, {3, kNone, kNone}, {0, kNone, kNone}).find("not there"),
            std::string::npos);
  EXPECT_NE(refusal({1, kNone, kNone}, {0, kNone, kNone}, {0, kNone, kNone}).find("another's"),
            std::string::npos);
  EXPECT_NE(refusal({1, kNone, kNone}, {1, kNone, kNone}, {0, kNone, kNone}).find("another's"),
            std::string::npos);
  // Half a leaf.
  EXPECT_NE(refusal({1, kNone, kNone}, {2, kNone, kNone}, {0, 1, kNone}).find("neither"),
            std::string::npos);
  // A router that two nodes share.
  EXPECT_NE(
      refusal({1, 3, kNone, kNone, kNone}, {2, 4, kNone, kNone, kNone}, {0, 0, kNone, kNone, kNone})
          .find("router"),
      std::string::npos);
}

TEST(RoutingTree, RefusesACycleBesideTheTree) {
  // The root is a leaf; 1 and 2 are each other's children.
  EXPECT_NE(
      refusal({kNone, 2, 1, kNone, kNone}, {kNone, 3, 4, kNone, kNone}, {kNone, 0, 1, kNone, kNone})
          .find("reached"),
      std::string::npos);
}

TEST(RoutingTree, StaysATreeHoweverItIsSplit) {
  const CounterRandom random(3, RandomPurpose::kTree);
  RoutingTree tree;
  const auto random_leaf = [&](std::uint64_t step, std::uint32_t draw) {
    NodeId node = 0;
    for (std::uint32_t level = 0; !tree.is_leaf(node); ++level) {
      node = tree.child(node, random.below(2, step, 100 * draw + level) == 1);
    }
    return node;
  };
  for (std::uint64_t step = 0; step < 2000; ++step) {
    const NodeId leaf = random_leaf(step, 0);
    const NodeId other = random_leaf(step, 1);
    if (tree.inner_count() < 40) {
      tree.split(leaf);
    } else if (leaf != other && tree.parent(other) != 0) {
      tree.move_split(other, leaf);
    }
    // The constructor throws on anything that is no tree.
    const auto copy = [](auto array) { return std::vector(array.begin(), array.end()); };
    ASSERT_EQ(RoutingTree(copy(tree.left()), copy(tree.right()), copy(tree.rows())), tree);
  }
  EXPECT_EQ(tree.inner_count(), 40U);
}

TEST(RoutingTree, ALeafThatIsGivenUpLeavesItsPlaceToItsSibling) {
  RoutingTree tree = RoutingTree::full(2);
  const NodeId above = tree.child(0, false);
  const NodeId kept = tree.child(above, true);
  const NodeId target = tree.child(tree.child(0, true), true);
  const std::uint32_t row = tree.row(above);
  tree.move_split(tree.child(above, false), target);
  EXPECT_EQ(tree.child(0, false), kept);
  EXPECT_EQ(tree.parent(kept), 0U);
  EXPECT_FALSE(tree.is_leaf(target));
  EXPECT_EQ(tree.row(target), row);
}

TEST(RoutingTree, TheSiblingItselfMayBeSplit) {
  RoutingTree tree = RoutingTree::full(2);
  const NodeId above = tree.child(0, false);
  const NodeId sibling = tree.child(above, true);
  tree.move_split(tree.child(above, false), sibling);
  EXPECT_EQ(tree.child(0, false), sibling);
  EXPECT_FALSE(tree.is_leaf(sibling));
  EXPECT_EQ(shape_of(tree).depth, 2U);
}

}  // namespace
}  // namespace cane
