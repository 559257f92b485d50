// Labels: threads
#include "train/clusters/class_centres.h"

#include <gtest/gtest.h>

#include "support/mapped_data.h"

namespace cane {
namespace CANE_THIS_FILE {

void expect_equal(const ClassCentres& centres, const ClassCentres& expected) {
  ASSERT_EQ(centres.class_count(), expected.class_count());
  for (ClassId label = 0; label < expected.class_count(); ++label) {
    const RowView row = centres.row(label);
    const RowView same = expected.row(label);
    ASSERT_EQ(row.count, same.count) << label;
    for (std::uint32_t i = 0; i < row.count; ++i) {
      if (same.indices != nullptr) {
        EXPECT_EQ(row.indices[i], same.indices[i]) << label;
      }
      EXPECT_EQ(row.values[i], same.values[i]) << label;
    }
  }
}

class ClassCentresThreads : public ::testing::TestWithParam<bool> {};

TEST_P(ClassCentresThreads, AreTheSameToTheBitHoweverTheDataIsRead) {
  const testing::MappedData mapped(5000, GetParam(), 300);
  const DatasetView& data = mapped.view();
  ASSERT_TRUE(data.is_mapped());
  ThreadPool pool(3);
  const ClassCentres expected(data, 300, pool);
  expect_equal(ClassCentres(data, 300, pool, {.whole_bytes = 0}), expected);
  const std::uint64_t third = data.stored_bytes() / 3;
  for (const std::uint64_t copy_bytes : {std::uint64_t{1}, third, 2 * data.stored_bytes()}) {
    const CentreLimits limits = {.whole_bytes = 0, .sum_bytes = 1, .copy_bytes = copy_bytes};
    expect_equal(ClassCentres(data, 300, pool, limits), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(SparseAndDense, ClassCentresThreads, ::testing::Bool(),
                         [](const auto& instance) { return instance.param ? "dense" : "sparse"; });

}  // namespace CANE_THIS_FILE
}  // namespace cane
