#include "learn/shuffle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace cane {
namespace {

// Rows of one dense float each, and so of eight bytes with their class.
struct Rows {
  explicit Rows(std::size_t count) : values(count, 1.0F), classes(count, 0) {
    DatasetView::Dense dense;
    dense.matrix = std::as_bytes(std::span(values)).data();
    view = DatasetView(dense, 1, classes, {});
  }
  std::vector<float> values;
  std::vector<ClassId> classes;
  DatasetView view;
};

std::vector<std::uint32_t> order_of(const Rows& rows, const ShuffleLimits& limits,
                                    std::uint64_t seed, std::uint32_t epoch) {
  Shuffle shuffle(rows.view, limits);
  shuffle.start_epoch(seed, epoch);
  return {shuffle.order().begin(), shuffle.order().end()};
}

// Windows of ten blocks of ten rows.
constexpr ShuffleLimits kSmall = {800, 80};

TEST(Shuffle, IsOfAllExamplesWhereTheyFitIntoAWindow) {
  const Rows rows(100);
  std::vector<std::uint32_t> expected(100);
  shuffle_examples(7, 2, expected);
  EXPECT_EQ(order_of(rows, kSmall, 7, 2), expected);
  EXPECT_FALSE(Shuffle(rows.view, kSmall).has_windows());
  EXPECT_TRUE(Shuffle(Rows(101).view, kSmall).has_windows());
}

TEST(Shuffle, VisitsEveryExampleOnce) {
  for (const std::size_t count : {101, 1000, 1003}) {
    auto order = order_of(Rows(count), kSmall, 7, 2);
    std::ranges::sort(order);
    std::vector<std::uint32_t> all(count);
    std::iota(all.begin(), all.end(), 0U);
    EXPECT_EQ(order, all);
  }
}

TEST(Shuffle, TakesAWindowFromAFewBlocks) {
  const auto order = order_of(Rows(1000), kSmall, 7, 2);
  for (std::size_t begin = 0; begin < order.size(); begin += 100) {
    std::set<std::uint32_t> blocks;
    for (std::size_t i = begin; i < begin + 100; ++i) blocks.insert(order[i] / 10);
    EXPECT_EQ(blocks.size(), 10U) << begin;
  }
}

TEST(Shuffle, MixesTheRowsOfAWindowAndTheBlocksOfTheData) {
  const auto order = order_of(Rows(100000), {8000, 80}, 1, 0);
  std::size_t neighbours = 0;
  std::uint64_t sum_of_first = 0;
  for (std::size_t i = 1; i < order.size(); ++i) neighbours += order[i] / 10 == order[i - 1] / 10;
  for (std::size_t i = 0; i < 1000; ++i) sum_of_first += order[i];
  // Two rows of a window are of the same block in one of a hundred cases.
  EXPECT_LT(neighbours, order.size() / 50);
  EXPECT_NEAR(static_cast<double>(sum_of_first) / 1000, 50000, 12000);
}

TEST(Shuffle, KnowsDataSortedByClassIfItIsLarge) {
  Rows rows(1000);
  const std::vector<std::uint64_t> counts(20, 50);
  for (std::size_t i = 0; i < 1000; ++i) rows.classes[i] = static_cast<ClassId>(i / 50);
  EXPECT_TRUE(is_sorted_by_class(rows.view, counts, kSmall));
  EXPECT_FALSE(is_sorted_by_class(rows.view, counts)) << "one window";
  for (std::size_t i = 0; i < 1000; ++i) rows.classes[i] = static_cast<ClassId>(i % 20);
  EXPECT_FALSE(is_sorted_by_class(rows.view, counts, kSmall));
}

TEST(Shuffle, IsAFunctionOfSeedAndEpoch) {
  const Rows rows(1000);
  EXPECT_EQ(order_of(rows, kSmall, 1, 0), order_of(rows, kSmall, 1, 0));
  EXPECT_NE(order_of(rows, kSmall, 1, 0), order_of(rows, kSmall, 1, 1));
  EXPECT_NE(order_of(rows, kSmall, 1, 0), order_of(rows, kSmall, 2, 0));
}

}  // namespace
}  // namespace cane
