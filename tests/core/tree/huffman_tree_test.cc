#include "core/tree/huffman_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <vector>

#include "cane/error.h"
#include "core/base/random.h"

namespace cane {
namespace CANE_THIS_FILE {

std::vector<std::uint32_t> class_depths(const ClassTree& tree) {
  std::vector<std::uint32_t> node_depths(tree.node_count(), 0);
  std::vector<std::uint32_t> depths(tree.class_count(), 0);
  for (NodeId node = 1; node < tree.node_count(); ++node) {
    node_depths[node] = node_depths[tree.parent(node)] + 1;
    if (tree.is_leaf(node)) depths[tree.leaf_class(node)] = node_depths[node];
  }
  return depths;
}

double cost_of(const ClassTree& tree, const std::vector<double>& counts) {
  const auto depths = class_depths(tree);
  double cost = 0.0;
  for (std::size_t k = 0; k < counts.size(); ++k) cost += counts[k] * depths[k];
  return cost;
}

// The sum of all merged masses, from a heap: the cost of an optimal tree without the tree.
double textbook_cost(const std::vector<double>& counts) {
  std::priority_queue<double, std::vector<double>, std::greater<>> heap(counts.begin(),
                                                                        counts.end());
  double cost = 0.0;
  while (heap.size() > 1) {
    const double least = heap.top();
    heap.pop();
    const double merged = least + heap.top();
    heap.pop();
    heap.push(merged);
    cost += merged;
  }
  return cost;
}

struct Best {
  double cost;
  std::uint32_t depth;
};

// Over all ways to cut every set of classes in two: the least cost, and the least depth with it.
Best best_of_all_trees(const std::vector<double>& counts) {
  const std::uint32_t sets = 1U << counts.size();
  std::vector<Best> best(sets, {0.0, 0});
  for (std::uint32_t set = 1; set < sets; ++set) {
    if ((set & (set - 1)) == 0) continue;
    double mass = 0.0;
    for (std::size_t k = 0; k < counts.size(); ++k) mass += (set >> k & 1U) != 0 ? counts[k] : 0.0;
    best[set] = {std::numeric_limits<double>::infinity(), 0};
    for (std::uint32_t part = (set - 1) & set; part > 0; part = (part - 1) & set) {
      const Best& left = best[part];
      const Best& right = best[set ^ part];
      const Best both = {mass + left.cost + right.cost, 1 + std::max(left.depth, right.depth)};
      if (std::pair(both.cost, both.depth) < std::pair(best[set].cost, best[set].depth)) {
        best[set] = both;
      }
    }
  }
  return best[sets - 1];
}

std::vector<double> random_counts(std::uint32_t classes, std::uint32_t bound, std::uint64_t trial) {
  const CounterRandom random(11, RandomPurpose::kTree);
  std::vector<double> counts;
  for (std::uint32_t k = 0; k < classes; ++k) {
    counts.push_back(static_cast<double>(random.below(bound, trial, k)));
  }
  return counts;
}

TEST(HuffmanTree, IsTheCheapestOfAllTreesAndOfThoseTheLowest) {
  for (std::uint32_t trial = 0; trial < 200; ++trial) {
    // No zeros: with them trees of one cost may differ in where classes that never come are.
    auto counts = random_counts(2 + trial % 7, 1 + trial / 10, trial);
    for (double& count : counts) count += 1.0;
    const ClassTree tree = huffman_tree(counts);
    const Best best = best_of_all_trees(counts);
    ASSERT_EQ(cost_of(tree, counts), best.cost) << trial;
    ASSERT_EQ(tree.depth(), best.depth) << trial;
  }
}

TEST(HuffmanTree, CostsWhatTheTextbookSaysAndKeepsTheBoundsOfTheEntropy) {
  for (std::uint32_t trial = 0; trial < 60; ++trial) {
    const std::uint32_t classes = 2 + 37 * trial;
    const auto counts = random_counts(classes, trial % 3 == 0 ? 4 : 100000, trial);
    const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
    if (total == 0.0) continue;
    const ClassTree tree = huffman_tree(counts);
    ASSERT_EQ(tree.class_count(), classes);
    ASSERT_EQ(tree.arity(), 2U);
    const double cost = cost_of(tree, counts);
    ASSERT_EQ(cost, textbook_cost(counts)) << trial;
    double entropy = 0.0;
    for (const double count : counts) {
      if (count > 0.0) entropy -= count / total * std::log2(count / total);
    }
    ASSERT_GE(cost / total, entropy - 1e-9);
    ASSERT_LT(cost / total, entropy + 1.0);
  }
}

TEST(HuffmanTree, PutsNoClassBelowARarerOneOrAHigherOneOfTheSameCount) {
  for (std::uint32_t trial = 0; trial < 30; ++trial) {
    const auto counts = random_counts(100, 1 + trial, trial);
    const auto depths = class_depths(huffman_tree(counts));
    for (ClassId a = 0; a < 100; ++a) {
      for (ClassId b = 0; b < 100; ++b) {
        if (counts[a] > counts[b] || (counts[a] == counts[b] && a < b)) {
          ASSERT_LE(depths[a], depths[b]) << a << " " << b;
        }
      }
    }
  }
}

TEST(HuffmanTree, PutsTheMoreFrequentSiblingFirst) {
  EXPECT_EQ(huffman_tree(std::vector<double>{1, 5}), ClassTree({2, 0, 0}, {1, 0}));
  EXPECT_EQ(huffman_tree(std::vector<double>{1, 1}), ClassTree({2, 0, 0}, {0, 1}));
  EXPECT_EQ(huffman_tree(std::vector<double>{2, 10, 3}), ClassTree({2, 0, 2, 0, 0}, {1, 2, 0}));
}

TEST(HuffmanTree, IsBalancedWhenAllClassesAreEquallyFrequent) {
  for (const double count : {0.0, 1.0, 0.1}) {
    const auto depths = class_depths(huffman_tree(std::vector<double>(1000, count)));
    const auto [least, most] = std::ranges::minmax(depths);
    EXPECT_EQ(least, 9U);
    EXPECT_EQ(most, 10U);
  }
}

TEST(HuffmanTree, HoldsAChainAsDeepAsThereAreClasses) {
  std::vector<double> counts;
  for (int k = 0; k < 1000; ++k) counts.push_back(std::ldexp(1.0, -k));
  const auto depths = class_depths(huffman_tree(counts));
  for (std::uint32_t k = 0; k < 999; ++k) ASSERT_EQ(depths[k], k + 1);
  EXPECT_EQ(depths[999], 999U);
}

TEST(HuffmanTree, NeedsTwoClasses) {
  EXPECT_THROW(huffman_tree({}), Error);
  EXPECT_THROW(huffman_tree(std::vector<double>{3}), Error);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
