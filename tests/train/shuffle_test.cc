// Labels: threads
#include "train/shuffle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "support/mapped_data.h"

namespace cane {
namespace CANE_THIS_FILE {

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
  for (const std::size_t count : {101U, 1000U, 1003U}) {
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

TEST(ShuffleThreads, CopiesTheRowsOfAWindowAndOfABatchThatReachesBeyond) {
  const testing::MappedData mapped(5000, false);
  const DatasetView& data = mapped.view();
  ASSERT_TRUE(data.is_mapped());
  constexpr std::size_t kBatch = 64;
  const std::uint64_t bytes = data.stored_bytes();
  ThreadPool pool(3);
  RowCopy window(data);
  Shuffle shuffle(data, {bytes / 4, bytes / 64}, &window, kBatch);
  ASSERT_TRUE(shuffle.has_windows());
  std::size_t stretches = 0;
  for (std::uint32_t epoch = 0; epoch < 2; ++epoch) {
    shuffle.start_epoch(1, epoch);
    for (std::size_t position = 0; position < data.size(); ++stretches) {
      shuffle.enter_stretch(position, pool);
      const std::size_t batches = (shuffle.stretch_end(position) + kBatch - 1) / kBatch;
      const std::size_t end = std::min(batches * kBatch, data.size());
      for (; position < end; ++position) {
        const std::uint32_t example = shuffle.order()[position];
        const RowView expected = data.row(example, {});
        const RowView row = window.view().row(example, {});
        ASSERT_EQ(row.count, expected.count);
        EXPECT_TRUE(std::equal(row.indices, row.indices + row.count, expected.indices));
        EXPECT_TRUE(std::equal(row.values, row.values + row.count, expected.values));
      }
    }
  }
  EXPECT_GT(stretches, 2U * 4U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
