#include "core/base/grouping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/base/random.h"

namespace cane {
namespace CANE_THIS_FILE {

using ::testing::ElementsAre;

TEST(Grouping, HasKeysInAscendingOrderAndItemsInTheirOwn) {
  const std::vector<std::uint32_t> keys = {7, 2, 7, 0, 2, 7};
  Grouping grouping;
  grouping.build(keys.size(), 8, [&](std::size_t item) { return keys[item]; });
  ASSERT_EQ(grouping.size(), 3U);
  EXPECT_EQ(grouping.key(0), 0U);
  EXPECT_EQ(grouping.key(1), 2U);
  EXPECT_EQ(grouping.key(2), 7U);
  EXPECT_THAT(grouping.items(0), ElementsAre(3));
  EXPECT_THAT(grouping.items(1), ElementsAre(1, 4));
  EXPECT_THAT(grouping.items(2), ElementsAre(0, 2, 5));
  EXPECT_THAT(grouping.items(), ElementsAre(3, 1, 4, 0, 2, 5));
  EXPECT_EQ(grouping.start(2), 3U);
}

TEST(Grouping, ForgetsWhatItGroupedBefore) {
  Grouping grouping;
  grouping.build(0, 10, [](std::size_t) { return 0U; });
  EXPECT_EQ(grouping.size(), 0U);
  const CounterRandom random(1, RandomPurpose::kShuffle);
  for (std::uint32_t round = 0; round < 20; ++round) {
    const std::size_t count = random.below(50, round, 0);
    const std::uint64_t bound = 1 + random.below(30, round, 1);
    std::vector<std::uint32_t> keys;
    std::map<std::uint32_t, std::vector<std::uint32_t>> expected;
    for (std::uint32_t item = 0; item < count; ++item) {
      keys.push_back(static_cast<std::uint32_t>(random.below(bound, round, 2 + item)));
      expected[keys.back()].push_back(item);
    }
    grouping.build(count, bound, [&](std::size_t item) { return keys[item]; });
    ASSERT_EQ(grouping.size(), expected.size());
    std::size_t group = 0;
    for (const auto& [key, items] : expected) {
      EXPECT_EQ(grouping.key(group), key);
      EXPECT_THAT(grouping.items(group++), ::testing::ElementsAreArray(items));
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
