#include "model/kept_examples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cane/config.h"
#include "support/small_data.h"

namespace cane {
namespace CANE_THIS_FILE {

std::vector<std::size_t> counts_of(const KeptExamples& kept, std::size_t classes) {
  std::vector<std::size_t> counts(classes, 0);
  for (const ClassId label : kept.labels) ++counts[label];
  return counts;
}

TEST(KeptExamples, AreSomeOfEachClassWithTheirRows) {
  const testing::SmallData data({.classes = 10, .examples = 500, .dimension = 6});
  const KeptExamples kept = keep_examples(data.view(), nullptr, 10, {}, {}, {3, 1000}, 1);
  EXPECT_EQ(counts_of(kept, 10), std::vector<std::size_t>(10, 3));
  EXPECT_EQ(validation_error(kept, 6, 10), nullptr);
  const DatasetView view = kept.view(6);
  std::vector<float> scratch[2] = {std::vector<float>(6), std::vector<float>(6)};
  for (std::size_t i = 0; i < view.size(); ++i) {
    const RowView row = view.row(i, scratch[0]);
    bool is_there = false;
    for (std::size_t e = 0; e < data.view().size(); ++e) {
      const RowView other = data.view().row(e, scratch[1]);
      is_there = is_there || (other.count == row.count && data.view().label(e) == view.label(i) &&
                              std::equal(row.values, row.values + row.count, other.values));
    }
    EXPECT_TRUE(is_there) << i;
  }
}

TEST(KeptExamples, GiveWayToNewOnesInProportion) {
  const testing::SmallData data({.classes = 2, .examples = 100, .dimension = 4});
  const KeptExamples first = keep_examples(data.view(), nullptr, 2, {}, {}, {8, 100}, 1);
  const std::vector<std::uint64_t> as_many(2, 50);
  const KeptExamples second = keep_examples(data.view(), nullptr, 2, first, as_many, {8, 100}, 1);
  EXPECT_EQ(counts_of(second, 2), std::vector<std::size_t>(2, 8));
  // A class without new examples keeps all; a limit of all examples holds.
  const KeptExamples third = keep_examples(data.view(), nullptr, 3, first, {}, {8, 100}, 1);
  EXPECT_EQ(counts_of(third, 3)[2], 0U);
  EXPECT_EQ(keep_examples(data.view(), nullptr, 2, {}, {}, {8, 5}, 1).labels.size(), 5U);
  EXPECT_TRUE(keep_examples(data.view(), nullptr, 2, {}, {}, {0, 0}, 1).labels.empty());
}

TEST(KeptExamples, BeginWithSomeThatWereNotTrainedOn) {
  const testing::SmallData data({.classes = 2, .examples = 100, .dimension = 4});
  const testing::SmallData other({.classes = 3, .examples = 90, .dimension = 4, .seed = 2});
  const DatasetView left_out = other.view();
  const KeptExamples first = keep_examples(data.view(), &left_out, 2, {}, {}, {30, 60}, 1);
  EXPECT_EQ(first.unseen, 12U);  // a fifth of all
  EXPECT_EQ(first.size(), 60U);
  EXPECT_EQ(validation_error(first, 4, 2), nullptr);  // none has the third class
  // They stay what they are, and make room for those that come.
  const std::vector<std::uint64_t> as_many(2, 50);
  const KeptExamples second = keep_examples(data.view(), &left_out, 3, first, as_many, {30, 90}, 1);
  EXPECT_EQ(second.unseen, 18U);
  EXPECT_EQ(keep_examples(data.view(), nullptr, 2, first, as_many, {30, 60}, 1).unseen, 6U);
  KeptExamples forged = first;
  forged.unseen = 61;
  EXPECT_NE(validation_error(forged, 4, 2), nullptr);
}

TEST(KeptExamples, AreMoreOfFewAndFewOfMany) {
  const testing::SmallData data({.classes = 10, .examples = 500, .dimension = 63});
  const auto limits = [&](std::size_t classes, std::uint64_t weights) {
    return keep_limits(TrainConfig::kAutoMemory, data.view(), classes, weights).of_class;
  };
  // Rows are of 256 bytes: 16,384 of them in 4 MiB, 65,536 in 16 MiB.
  EXPECT_EQ(limits(100, 0), 100U);
  EXPECT_EQ(limits(512, 0), 32U);
  EXPECT_EQ(limits(4096, 0), 16U);
  EXPECT_EQ(limits(8192, 0), 8U);
  EXPECT_EQ(limits(8192, std::uint64_t{256} << 20), 32U);
}

TEST(KeptExamples, AreFewWhereTheyWouldBeLarge) {
  const testing::SmallData data({.classes = 10, .examples = 500, .dimension = 6});
  EXPECT_EQ(keep_limits(5, data.view(), 10, 0).of_class, 5U);
  EXPECT_EQ(keep_limits(0, data.view(), 10, 0).total, 0U);
  EXPECT_EQ(keep_limits(TrainConfig::kAutoMemory, data.view(), 10, 0).of_class, 100U);
  const KeepLimits many = keep_limits(TrainConfig::kAutoMemory, data.view(), 10'000'000, 0);
  EXPECT_EQ(many.of_class, 1U);
  EXPECT_LE(many.total * 6 * sizeof(float), std::uint64_t{16} << 20);
}

TEST(KeptExamples, AreRefusedWhereTheyAreForged) {
  const testing::SmallData data({.classes = 10, .examples = 500, .dimension = 6});
  const KeptExamples kept = keep_examples(data.view(), nullptr, 10, {}, {}, {3, 1000}, 1);
  EXPECT_NE(validation_error(kept, 7, 10), nullptr);
  EXPECT_NE(validation_error(kept, 6, 9), nullptr);
  KeptExamples cut = kept;
  cut.values = cut.values.first(cut.values.size() - 1);
  EXPECT_NE(validation_error(cut, 6, 10), nullptr);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
