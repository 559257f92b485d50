#include "core/tree/class_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cane/error.h"

namespace cane {
namespace CANE_THIS_FILE {

// Root with children 1 (inner) and 2 (leaf); 1 has three leaves.
ClassTree small_tree() {
  return {{2, 3, 0, 0, 0, 0}, {1, 3, 2, 0}};
}

TEST(ClassTree, LinksParentsChildrenLeavesAndClasses) {
  const ClassTree tree = small_tree();
  EXPECT_EQ(tree.node_count(), 6U);
  EXPECT_EQ(tree.class_count(), 4U);
  EXPECT_EQ(tree.depth(), 2U);
  EXPECT_EQ(tree.arity(), 3U);
  EXPECT_EQ(tree.first_child(0), 1U);
  EXPECT_EQ(tree.first_child(1), 3U);
  EXPECT_EQ(tree.child_count(1), 3U);
  EXPECT_EQ(tree.parent(0), 0U);
  EXPECT_EQ(tree.parent(2), 0U);
  EXPECT_EQ(tree.parent(5), 1U);
  EXPECT_EQ(tree.leaf_of(1), 2U);
  EXPECT_EQ(tree.leaf_of(3), 3U);
  EXPECT_EQ(tree.leaf_class(5), 0U);
}

TEST(ClassTree, KnowsTheLowestClassBelowEveryNode) {
  const ClassTree tree({2, 2, 2, 0, 0, 0, 0}, {3, 2, 0, 1});
  EXPECT_EQ(tree.lowest_class(0), 0U);
  EXPECT_EQ(tree.lowest_class(1), 2U);
  EXPECT_EQ(tree.lowest_class(2), 0U);
  EXPECT_EQ(tree.lowest_class(3), 3U);
}

TEST(ClassTree, GivesItsLeavesFromLeftToRightAndInLevelOrder) {
  EXPECT_EQ(small_tree().leaf_order(), (std::vector<ClassId>{3, 2, 0, 1}));
  EXPECT_EQ(small_tree().leaf_classes(), (std::vector<ClassId>{1, 3, 2, 0}));
}

TEST(ClassTree, IsRebuiltFromWhatItStores) {
  const ClassTree tree = small_tree();
  const auto counts = tree.child_counts();
  EXPECT_EQ(ClassTree({counts.begin(), counts.end()}, tree.leaf_classes()), tree);
}

TEST(ClassTree, HoldsAChainOfAHundredThousandLevels) {
  const std::uint32_t levels = 100000;
  std::vector<std::uint32_t> counts = {2};
  std::vector<ClassId> classes;
  for (std::uint32_t level = 1; level <= levels; ++level) {
    counts.push_back(0);
    counts.push_back(level < levels ? 2 : 0);
    classes.push_back(level);
  }
  classes.push_back(0);
  const ClassTree tree(counts, classes);
  EXPECT_EQ(tree.depth(), levels);
  EXPECT_EQ(tree.lowest_class(2), 0U);
  EXPECT_EQ(tree.leaf_order(), classes);
}

struct Broken {
  const char* what;
  std::vector<std::uint32_t> counts;
  std::vector<ClassId> classes;
};

TEST(ClassTree, RefusesWhatIsNoTreeOfClasses) {
  const std::vector<Broken> cases = {
      {"0 leaves", {}, {}},
      {"1 leaves", {0}, {0}},
      {"single child", {2, 1, 0, 0}, {0, 1}},
      {"no node's child", {0, 2, 0, 0}, {0, 1, 2}},
      {"no node's child", {2, 0, 0, 0}, {0, 1, 2}},
      {"no node's child", {2, 0, 0, 2, 0, 0}, {0, 1, 2, 3}},
      {"children of node 0 are missing", {4, 0, 0}, {0, 1}},
      {"children of node 1 are missing", {2, 0xFFFFFFFF, 0, 0}, {0, 1}},
      {"children of node 0 are missing", {0xFFFFFFFF, 0xFFFFFFFF, 6, 0, 0}, {0, 1}},
      {"2 leaves, but 3 classes", {2, 0, 0}, {0, 1, 2}},
      {"3 leaves, but 2 classes", {3, 0, 0, 0}, {0, 1}},
      {"class 2 of 2", {2, 0, 0}, {0, 2}},
      {"class 4294967295 of 2", {2, 0, 0}, {kUnknownClass, 0}},
      {"class 1 has two leaves", {3, 0, 0, 0}, {1, 0, 1}},
  };
  for (const Broken& broken : cases) {
    try {
      const ClassTree tree(broken.counts, broken.classes);
      ADD_FAILURE() << "accepted: " << broken.what;
    } catch (const Error& error) {
      EXPECT_THAT(std::string(error.what()), ::testing::HasSubstr(broken.what)) << error.what();
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
