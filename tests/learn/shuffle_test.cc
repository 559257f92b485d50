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

TEST(Shuffle, VisitsEveryExampleOnceAndInWindowsOfWholeBlocks) {
  const Rows rows(1003);
  const auto order = order_of(rows, kSmall, 7, 2);
  auto sorted = order;
  std::ranges::sort(sorted);
  std::vector<std::uint32_t> all(1003);
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_EQ(sorted, all);
  std::size_t begin = 0;
  for (std::size_t window = 0; begin < order.size(); ++window) {
    std::set<std::uint32_t> blocks;
    std::size_t rows_of_blocks = 0;
    for (std::size_t i = begin; i < order.size() && i < begin + 100; ++i) {
      const std::uint32_t block = order[i] / 10;
      if (blocks.insert(block).second) rows_of_blocks += block == 100 ? 3 : 10;
    }
    ASSERT_LE(blocks.size(), 11U) << window;
    if (blocks.size() > 10) break;  // the short block lies in this window
    EXPECT_EQ(rows_of_blocks, std::min<std::size_t>(100, order.size() - begin)) << window;
    begin += rows_of_blocks;
  }
  EXPECT_GE(begin, 100U);
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

TEST(Shuffle, IsAFunctionOfSeedAndEpoch) {
  const Rows rows(1000);
  EXPECT_EQ(order_of(rows, kSmall, 1, 0), order_of(rows, kSmall, 1, 0));
  EXPECT_NE(order_of(rows, kSmall, 1, 0), order_of(rows, kSmall, 1, 1));
  EXPECT_NE(order_of(rows, kSmall, 1, 0), order_of(rows, kSmall, 2, 0));
}

}  // namespace
}  // namespace cane
