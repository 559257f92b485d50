#include "tune/replica.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "data/loaded_data.h"
#include "support/small_dataset.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

std::vector<ClassId> all_classes(std::size_t count) {
  std::vector<ClassId> order(count);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

TEST(Replica, HasAllExamplesOfItsClassesOnce) {
  const Dataset data = testing::small_dataset({.classes = 64, .examples = 2000});
  const Replica replica = make_replica(data, all_classes(64), 20, 1).value();
  EXPECT_GE(replica.train.classes(), 32U) << "neighbourhoods of 16";
  EXPECT_LT(replica.train.classes(), 64U);
  std::set<std::string> labels(replica.train.labels().begin(), replica.train.labels().end());
  const DatasetView& view = data.data().view;
  std::vector<std::uint64_t> expected;
  for (std::size_t e = 0; e < view.size(); ++e) {
    if (labels.contains(data.labels()[view.label(e)])) expected.push_back(e);
  }
  std::vector<std::uint64_t> found;
  for (const Dataset* part : {&replica.train, &replica.held_out}) {
    const DatasetView& rows = part->data().view;
    for (std::size_t e = 0; e < rows.size(); ++e) {
      found.push_back(rows.stored_row(e));
      EXPECT_EQ(part->labels()[rows.label(e)], data.labels()[view.label(rows.stored_row(e))]);
    }
  }
  std::ranges::sort(found);
  EXPECT_EQ(found, expected);
  const double share =
      static_cast<double>(replica.held_out.size()) / static_cast<double>(expected.size());
  EXPECT_NEAR(share, 0.2, 0.05);
}

TEST(Replica, KnowsHowManyClassesItLeavesOut) {
  const Dataset data = testing::small_dataset({.classes = 64, .examples = 2000});
  const Replica replica = make_replica(data, all_classes(64), 20, 1).value();
  EXPECT_GT(replica.left_out, 0U);
  EXPECT_EQ(replica.train.classes() + replica.left_out, 64U);
}

TEST(Replica, TakesNeighboursOfTheOrder) {
  const Dataset data = testing::small_dataset({.classes = 64, .examples = 2000});
  std::vector<ClassId> order = all_classes(64);
  std::ranges::reverse(order);
  const Replica replica = make_replica(data, order, 16, 3).value();
  for (std::size_t k = 1; k < replica.train.classes(); ++k) {
    if (k % 16 == 0) continue;
    EXPECT_EQ(std::stoi(replica.train.labels()[k]), std::stoi(replica.train.labels()[k - 1]) - 1);
  }
}

TEST(Replica, LeavesNeighbourhoodsOutThatHaveMostOfTheExamples) {
  const Dataset data = testing::small_dataset({.classes = 128, .examples = 1000});
  std::vector<std::uint32_t> examples;
  for (std::uint32_t e = 0; e < data.size(); ++e) {
    const std::size_t times = data.data().view.label(e) < 4 ? 200 : 1;
    examples.insert(examples.end(), times, e);
  }
  const Dataset skewed = data.subset(examples);
  const Replica replica = make_replica(skewed, all_classes(128), 128, 1).value();
  EXPECT_EQ(replica.train.classes(), 112U);
  for (const std::string& label : replica.train.labels()) EXPECT_GE(std::stoi(label), 16);
}

TEST(Replica, LearnsFromEveryClass) {
  const Dataset data = testing::small_dataset({.classes = 64, .examples = 150});
  const Replica replica = make_replica(data, all_classes(64), 64, 1).value();
  std::set<ClassId> learned;
  const DatasetView& rows = replica.train.data().view;
  for (std::size_t e = 0; e < rows.size(); ++e) learned.insert(rows.label(e));
  const DatasetView& held_out = replica.held_out.data().view;
  for (std::size_t e = 0; e < held_out.size(); ++e) {
    EXPECT_TRUE(learned.contains(held_out.label(e)));
  }
}

TEST(Replica, IsNoneWhereEveryClassHasOneExample) {
  const testing::TemporaryFolder folder;
  std::string text;
  for (int k = 0; k < 100; ++k) text += fmt::format("{} {}:1\n", k, k + 1);
  DataOptions options;
  options.use_cache = false;
  const Dataset data = Dataset::load(folder.write("a.svm", text), options);
  EXPECT_FALSE(make_replica(data, all_classes(100), 100, 1).has_value());
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
