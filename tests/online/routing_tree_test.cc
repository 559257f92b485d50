#include "online/routing_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/tree/balanced_tree.h"
#include "support/error_text.h"

namespace cane {
namespace CANE_THIS_FILE {

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
  EXPECT_THAT(refusal({}, {}, {}), ::testing::HasSubstr("do not fit"));
  EXPECT_THAT(refusal({1, kNone}, {1, kNone}, {0, kNone}), ::testing::HasSubstr("do not fit"));
  // A child that is not there, one that is the root, one that has two parents.
  EXPECT_THAT(refusal({1, kNone, kNone}, {3, kNone, kNone}, {0, kNone, kNone}),
              ::testing::HasSubstr("not there"));
  EXPECT_THAT(refusal({1, kNone, kNone}, {0, kNone, kNone}, {0, kNone, kNone}),
              ::testing::HasSubstr("another's"));
  EXPECT_THAT(refusal({1, kNone, kNone}, {1, kNone, kNone}, {0, kNone, kNone}),
              ::testing::HasSubstr("another's"));
  // Half a leaf.
  EXPECT_THAT(refusal({1, kNone, kNone}, {2, kNone, kNone}, {0, 1, kNone}),
              ::testing::HasSubstr("neither"));
  // A router that two nodes share.
  EXPECT_THAT(refusal({1, 3, kNone, kNone, kNone}, {2, 4, kNone, kNone, kNone},
                      {0, 0, kNone, kNone, kNone}),
              ::testing::HasSubstr("router"));
}

TEST(RoutingTree, RefusesACycleBesideTheTree) {
  // The root is a leaf; 1 and 2 are each other's children.
  EXPECT_THAT(refusal({kNone, 2, 1, kNone, kNone}, {kNone, 3, 4, kNone, kNone},
                      {kNone, 0, 1, kNone, kNone}),
              ::testing::HasSubstr("reached"));
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

}  // namespace CANE_THIS_FILE
}  // namespace cane
