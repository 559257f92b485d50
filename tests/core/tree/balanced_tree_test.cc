#include "core/tree/balanced_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cane/error.h"
#include "core/base/random.h"

namespace cane {
namespace CANE_THIS_FILE {

std::uint32_t least_depth(std::uint64_t classes, std::uint64_t arity) {
  std::uint32_t depth = 0;
  for (std::uint64_t capacity = 1; capacity < classes; capacity *= arity) ++depth;
  return depth;
}

std::vector<std::uint32_t> node_depths(const ClassTree& tree) {
  std::vector<std::uint32_t> depths(tree.node_count(), 0);
  for (NodeId node = 1; node < tree.node_count(); ++node) {
    depths[node] = depths[tree.parent(node)] + 1;
  }
  return depths;
}

void expect_sound(const ClassTree& tree, const std::vector<ClassId>& order, std::uint32_t arity) {
  const auto classes = static_cast<std::uint32_t>(order.size());
  ASSERT_EQ(tree.class_count(), classes);
  ASSERT_EQ(tree.leaf_order(), order);
  const auto depths = node_depths(tree);
  std::vector<ClassId> lowest(tree.node_count(), kUnknownClass);
  NodeId next_child = 1;
  for (NodeId node = 0; node < tree.node_count(); ++node) {
    ASSERT_LE(tree.child_count(node), arity);
    ASSERT_NE(tree.child_count(node), 1U);
    ASSERT_EQ(tree.first_child(node), next_child);
    for (std::uint32_t child = 0; child < tree.child_count(node); ++child) {
      ASSERT_EQ(tree.parent(next_child++), node);
    }
    if (!tree.is_leaf(node)) continue;
    ASSERT_EQ(tree.leaf_of(tree.leaf_class(node)), node);
    ASSERT_GE(depths[node] + (arity == 2 ? 1U : 0U), least_depth(classes, arity));
    for (NodeId above = node;; above = tree.parent(above)) {
      lowest[above] = std::min(lowest[above], tree.leaf_class(node));
      if (above == 0) break;
    }
  }
  ASSERT_EQ(next_child, tree.node_count());
  ASSERT_EQ(tree.depth(), least_depth(classes, arity));
  ASSERT_EQ(tree.depth(), *std::ranges::max_element(depths));
  for (NodeId node = 0; node < tree.node_count(); ++node) {
    ASSERT_EQ(tree.lowest_class(node), lowest[node]);
  }
}

TEST(BalancedTree, KeepsItsPromisesForAThousandRandomSizesAndArities) {
  const CounterRandom random(7, RandomPurpose::kTree);
  for (std::uint32_t trial = 0; trial < 1000; ++trial) {
    // Small numbers as often as large ones, where powers of the arity and their neighbours lie.
    const auto classes = static_cast<std::uint32_t>(
        2 + random.below(std::uint64_t{1} << (1 + random.below(11, trial, 0)), trial, 1));
    const auto arity = static_cast<std::uint32_t>(
        2 + random.below(std::uint64_t{1} << random.below(7, trial, 2), trial, 3));
    SCOPED_TRACE(::testing::Message() << classes << " classes, arity " << arity);
    const auto order = random_order(classes, trial);
    ASSERT_NO_FATAL_FAILURE(expect_sound(balanced_tree(order, arity), order, arity));
  }
}

TEST(BalancedTree, KeepsItsPromisesAroundPowersOfTheArity) {
  for (const std::uint32_t arity : {2U, 3U, 4U, 10U, 16U}) {
    for (std::uint32_t power = arity; power <= 5000; power *= arity) {
      for (const std::uint32_t classes : {power - 1, power, power + 1}) {
        if (classes < 2) continue;
        SCOPED_TRACE(::testing::Message() << classes << " classes, arity " << arity);
        const auto order = class_order(classes);
        ASSERT_NO_FATAL_FAILURE(expect_sound(balanced_tree(order, arity), order, arity));
      }
    }
  }
}

TEST(BalancedTree, FillsTheBlocksAtTheBottom) {
  const ClassTree wide = balanced_tree(class_order(1000), 16);
  EXPECT_EQ(wide.child_count(0), 4U);
  for (NodeId node = 1; node <= 4; ++node) EXPECT_EQ(wide.child_count(node), 16U);
  for (NodeId node = 5; node < 5 + 64; ++node) EXPECT_GE(wide.child_count(node), 15U);
  const ClassTree decimal = balanced_tree(class_order(1000), 10);
  for (NodeId node = 0; node < 111; ++node) EXPECT_EQ(decimal.child_count(node), 10U);
}

TEST(BalancedTree, IsFlatWhenTheArityReachesTheNumberOfClasses) {
  for (const std::uint32_t arity : {7U, 8U, 0xFFFFFFFFU}) {
    const ClassTree tree = balanced_tree(class_order(7), arity);
    EXPECT_EQ(tree.depth(), 1U);
    EXPECT_EQ(tree.arity(), 7U);
  }
}

TEST(BalancedTree, NamesTheOptionThatIsTooSmall) {
  try {
    balanced_tree(class_order(10), 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(std::string(error.what()), ::testing::HasSubstr("`arity`"));
  }
  EXPECT_THROW(balanced_tree(class_order(1), 16), Error);
  EXPECT_THROW(balanced_tree({}, 16), Error);
}

TEST(RandomOrder, IsAPermutationGivenByItsSeed) {
  const auto order = random_order(1000, 3);
  EXPECT_EQ(order, random_order(1000, 3));
  EXPECT_NE(order, random_order(1000, 4));
  auto sorted = order;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, class_order(1000));
  EXPECT_NE(order, sorted);
}

TEST(RandomOrder, PutsEveryClassEverywhereEquallyOften) {
  std::vector<std::vector<int>> counts(5, std::vector<int>(5, 0));
  const int trials = 5000;
  for (int trial = 0; trial < trials; ++trial) {
    const auto order = random_order(5, static_cast<std::uint64_t>(trial));
    for (std::size_t place = 0; place < 5; ++place) ++counts[place][order[place]];
  }
  double chi_square = 0.0;
  const double expected = trials / 5.0;
  for (const auto& row : counts) {
    for (const int count : row) chi_square += (count - expected) * (count - expected) / expected;
  }
  EXPECT_LT(chi_square, 39.3);  // 16 degrees of freedom, p = 0.001
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
