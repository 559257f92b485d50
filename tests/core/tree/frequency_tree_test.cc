#include "core/tree/frequency_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "cane/error.h"
#include "core/base/random.h"
#include "data/rows/dataset_view.h"
#include "support/small_data.h"
#include "train/clusters/build_tree.h"

namespace cane {
namespace CANE_THIS_FILE {

// The classes of each subset, from left to right.
std::vector<std::vector<ClassId>> subsets_of(const ClassTree& tree) {
  std::vector<std::vector<ClassId>> subsets;
  for (std::uint32_t child = 0; child < tree.child_count(0); ++child) {
    const NodeId node = tree.first_child(0) + child;
    auto& subset = subsets.emplace_back();
    if (tree.is_leaf(node)) subset.push_back(tree.leaf_class(node));
    for (std::uint32_t leaf = 0; leaf < tree.child_count(node); ++leaf) {
      EXPECT_TRUE(tree.is_leaf(tree.first_child(node) + leaf));
      subset.push_back(tree.leaf_class(tree.first_child(node) + leaf));
    }
  }
  return subsets;
}

using Subsets = std::vector<std::vector<ClassId>>;

TEST(FrequencyTree, CutsTheClassesByFrequencyIntoSubsetsOfEqualShare) {
  const std::vector<double> counts = {1, 6, 2, 3, 1, 2, 3, 6};
  EXPECT_EQ(subsets_of(frequency_tree(counts, 4)), (Subsets{{1}, {7}, {3, 6}, {2, 5, 0, 4}}));
  EXPECT_EQ(subsets_of(frequency_tree(counts, 2)), (Subsets{{1, 7}, {3, 6, 2, 5, 0, 4}}));
}

TEST(FrequencyTree, GivesAClassThatOutweighsASubsetOneOfItsOwn) {
  const std::vector<double> counts = {1, 1, 1, 1000, 1, 1, 1};
  EXPECT_EQ(subsets_of(frequency_tree(counts, 3)), (Subsets{{3}, {0, 1, 2}, {4, 5, 6}}));
}

TEST(FrequencyTree, HasOneLayerOfNonEmptySubsetsForAnyCounts) {
  const CounterRandom random(5, RandomPurpose::kTree);
  for (std::uint32_t trial = 0; trial < 500; ++trial) {
    const auto classes = static_cast<std::uint32_t>(2 + random.below(60, trial, 0));
    const auto subsets = static_cast<std::uint32_t>(2 + random.below(70, trial, 1));
    std::vector<double> counts;
    for (std::uint32_t k = 0; k < classes; ++k) {
      counts.push_back(static_cast<double>(random.below(1 + trial / 5, trial, 2 + k)));
    }
    const ClassTree tree = frequency_tree(counts, subsets);
    ASSERT_EQ(tree.child_count(0), std::min(subsets, classes));
    ASSERT_LE(tree.depth(), 2U);
    std::vector<ClassId> all;
    for (const auto& subset : subsets_of(tree)) all.insert(all.end(), subset.begin(), subset.end());
    ASSERT_EQ(all, frequency_order(counts)) << trial;
  }
}

// A subset is off its share by half a class, and a class is at most as frequent as the one that
// began the subset; the last takes what the others left.
TEST(FrequencyTree, ComesWithinAClassOfEqualSharesOnZipfCounts) {
  std::vector<double> counts;
  for (int rank = 1; rank <= 20000; ++rank) counts.push_back(1e6 / rank);
  const auto subsets = subsets_of(frequency_tree(counts, 6));
  const double share = std::accumulate(counts.begin(), counts.end(), 0.0) / 6;
  for (const auto& subset : subsets) {
    double sum = 0.0;
    for (const ClassId label : subset) sum += counts[label];
    EXPECT_NEAR(sum, share, counts[0] / 2);
    EXPECT_TRUE(std::ranges::is_sorted(subset));
  }
  EXPECT_LT(subsets.front().size(), 10U);
  EXPECT_GT(subsets.back().size(), 5000U);
}

TEST(FrequencyTree, IsFlatWhenThereIsASubsetForEveryClass) {
  const ClassTree tree = frequency_tree(std::vector<double>{1, 3, 2}, 100);
  EXPECT_EQ(tree, ClassTree({3, 0, 0, 0}, {1, 2, 0}));
}

TEST(FrequencyTree, NamesTheOptionThatIsTooSmall) {
  try {
    frequency_tree(std::vector<double>{1, 2, 3}, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(std::string(error.what()), ::testing::HasSubstr("`arity`"));
  }
  EXPECT_THROW(frequency_tree(std::vector<double>{1}, 2), Error);
}

TEST(ClassCounts, AddUpTheWeightsOfTheExamples) {
  testing::SmallData data({.classes = 5, .examples = 50});
  std::vector<double> counts(6, 0.0);
  std::vector<double> weights(6, 0.0);
  std::vector<float> example_weights;
  for (std::size_t example = 0; example < 50; ++example) {
    example_weights.push_back(static_cast<float>(example % 4) / 2);
    counts[data.view().label(example)] += 1.0;
    weights[data.view().label(example)] += static_cast<double>(example_weights.back());
  }
  EXPECT_EQ(class_counts(data.view(), 6), counts);
  data.set_weights(example_weights);
  EXPECT_EQ(class_counts(data.view(), 6), weights);
}

TEST(BuildTree, MakesAHuffmanTreeOfTheLabels) {
  const testing::SmallData data({.classes = 9, .examples = 300});
  const std::vector<std::string> labels = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
  ThreadPool pool(1);
  const auto huffman = build_tree("huffman", data.view(), labels, 1, 0, pool);
  EXPECT_EQ(huffman.arity(), 2U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
