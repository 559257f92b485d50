#include "core/tree/insert_leaves.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/random.h"
#include "core/tree/balanced_tree.h"

namespace cane {
namespace CANE_THIS_FILE {

// Two inner nodes below the root, classes 0 1 | 2 3 4.
ClassTree small_tree() {
  return ClassTree({2, 2, 3, 0, 0, 0, 0, 0}, {0, 1, 2, 3, 4});
}

TEST(InsertLeaves, PutsALeafBesideItsNeighbourWhereThereIsRoom) {
  const std::vector<ClassId> siblings = {1};
  const GrownTree grown = insert_leaves(small_tree(), siblings, 3);
  EXPECT_EQ(grown.tree.class_count(), 6U);
  EXPECT_EQ(grown.tree.parent(grown.tree.leaf_of(5)), grown.tree.parent(grown.tree.leaf_of(1)));
  EXPECT_EQ(grown.tree.depth(), 2U);
  EXPECT_EQ(grown.tree.arity(), 3U);
  const ClassTree before = small_tree();
  for (ClassId k = 0; k < 5; ++k) {
    EXPECT_EQ(grown.node_of[before.leaf_of(k)], grown.tree.leaf_of(k));
  }
}

TEST(InsertLeaves, SplitsALeafWhereThereIsNone) {
  const std::vector<ClassId> siblings = {3};
  const GrownTree grown = insert_leaves(small_tree(), siblings, 3);
  const NodeId inner = grown.tree.parent(grown.tree.leaf_of(5));
  EXPECT_EQ(inner, grown.tree.parent(grown.tree.leaf_of(3)));
  EXPECT_EQ(grown.tree.child_count(inner), 2U);
  EXPECT_EQ(grown.tree.parent(inner), grown.tree.parent(grown.tree.leaf_of(2)));
  EXPECT_EQ(grown.node_of[small_tree().leaf_of(3)], inner);
}

TEST(InsertLeaves, KeepsTheArityAndEveryOldPathHoweverManyAreNew) {
  const std::vector<ClassId> order = {4, 0, 2, 1, 3, 5, 6, 7, 8, 9};
  const ClassTree tree = balanced_tree(order, 4);
  const CounterRandom random(1, RandomPurpose::kTree, 0);
  std::vector<ClassId> siblings;
  for (std::uint32_t i = 0; i < 200; ++i) {
    siblings.push_back(static_cast<ClassId>(random.below(i % 2 == 0 ? 10 : 2, i, 0)));
  }
  const GrownTree grown = insert_leaves(tree, siblings, 4);
  EXPECT_EQ(grown.tree.class_count(), 210U);
  EXPECT_LE(grown.tree.arity(), 4U);
  for (ClassId k = 0; k < 10; ++k) {
    // The old path, edge by edge, is the upper end of the new one.
    NodeId node = tree.leaf_of(k);
    NodeId above = grown.tree.leaf_of(k);
    while (above != grown.node_of[node]) above = grown.tree.parent(above);
    for (; node != 0; node = tree.parent(node), above = grown.tree.parent(above)) {
      EXPECT_EQ(above, grown.node_of[node]);
    }
    EXPECT_EQ(above, 0U);
  }
}

TEST(InsertLeaves, ChangesNothingWithoutNewClasses) {
  EXPECT_EQ(insert_leaves(small_tree(), {}, 3).tree, small_tree());
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
