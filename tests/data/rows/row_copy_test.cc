// Labels: threads
#include "data/rows/row_copy.h"

#include <gtest/gtest.h>

#include <vector>

#include "data/loaded_data.h"
#include "support/mapped_data.h"

namespace cane {
namespace CANE_THIS_FILE {

void expect_equal_rows(const DatasetView& data, const DatasetView& copy, std::size_t example) {
  std::vector<float> scratch_a(data.dimension());
  std::vector<float> scratch_b(data.dimension());
  const RowView expected = data.row(example, scratch_a);
  const RowView row = copy.row(example, scratch_b);
  ASSERT_EQ(row.count, expected.count) << example;
  for (std::uint32_t i = 0; i < row.count; ++i) {
    if (expected.indices != nullptr) {
      EXPECT_EQ(row.indices[i], expected.indices[i]) << example;
    }
    EXPECT_EQ(row.values[i], expected.values[i]) << example;
  }
}

class RowCopyThreads : public ::testing::TestWithParam<bool> {};

TEST_P(RowCopyThreads, HasTheRowsThatWereTakenLast) {
  const testing::MappedData mapped(1003, GetParam());
  const DatasetView& data = mapped.view();
  ASSERT_TRUE(data.is_mapped());
  ASSERT_EQ(data.is_dense(), GetParam());
  ThreadPool pool(3);
  RowCopy copy(data);
  EXPECT_EQ(copy.view().size(), data.size()) << "before rows are taken";
  EXPECT_EQ(copy.view().dimension(), data.dimension());
  const std::vector<std::vector<ExampleRange>> rounds = {
      {{5, 6}}, {{900, 1003}, {0, 7}, {20, 20}, {13, 400}}, {{1, 2}, {1000, 1001}}};
  for (const auto& ranges : rounds) {
    copy.take(ranges, pool);
    for (const ExampleRange& range : ranges) {
      for (std::size_t example = range.begin; example < range.end; ++example) {
        expect_equal_rows(data, copy.view(), example);
        EXPECT_EQ(copy.view().label(example), data.label(example));
      }
    }
  }
  EXPECT_FALSE(copy.view().is_mapped());
}

TEST_P(RowCopyThreads, MayTakeMoreRangesThanTasks) {
  const testing::MappedData mapped(1003, GetParam());
  ThreadPool pool(3);
  RowCopy copy(mapped.view());
  std::vector<ExampleRange> ranges;
  for (std::size_t i = 0; i < 1003; i += 3) ranges.push_back({i, i + 1});
  copy.take(ranges, pool);
  for (const ExampleRange& range : ranges) {
    expect_equal_rows(mapped.view(), copy.view(), range.begin);
  }
}

INSTANTIATE_TEST_SUITE_P(SparseAndDense, RowCopyThreads, ::testing::Bool(),
                         [](const auto& instance) { return instance.param ? "dense" : "sparse"; });

}  // namespace CANE_THIS_FILE
}  // namespace cane
