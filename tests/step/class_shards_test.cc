#include "step/class_shards.h"

#include <gtest/gtest.h>

#include <vector>

namespace cane {
namespace CANE_THIS_FILE {

TEST(ClassShards, EveryClassHasOnePlace) {
  for (const std::uint32_t classes : {1U, 63U, 64U, 65U, 511U, 512U, 1000U, 4129U}) {
    for (const std::uint32_t count : {8U, 16U}) {
      const ClassShards shards(classes, count);
      std::vector<std::uint32_t> next(count, 0);
      for (ClassId k = 0; k < classes; ++k) {
        const std::uint32_t shard = shards.shard_of(k);
        // Classes keep their order in a shard, and fill it without gaps.
        ASSERT_EQ(shards.local(k), next[shard]++) << k;
        ASSERT_EQ(shards.global(shard, shards.local(k)), k);
      }
      for (std::uint32_t shard = 0; shard < count; ++shard) {
        EXPECT_EQ(shards.size(shard), next[shard]);
      }
    }
  }
}

TEST(ClassShards, RanksShareThemInOrder) {
  for (const std::uint32_t shards : {8U, 16U}) {
    for (int ranks = 1; ranks <= 8; ++ranks) {
      std::uint32_t next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const OwnShards own = shards_of_rank(shards, rank, ranks);
        EXPECT_EQ(own.begin, next);
        EXPECT_GE(own.count(), shards / static_cast<std::uint32_t>(ranks));
        EXPECT_LE(own.count(), shards / static_cast<std::uint32_t>(ranks) + 1);
        next = own.end;
      }
      EXPECT_EQ(next, shards);
    }
  }
}

TEST(ClassShards, ARankNumbersItsClassesWithoutGaps) {
  const ClassPart all(1000);
  for (ClassId k = 0; k < 1000; ++k) EXPECT_EQ(all.row(k), k);
  for (const int ranks : {1, 3, 8}) {
    std::uint32_t rows = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const ClassPart part({1000, 8}, shards_of_rank(8, rank, ranks));
      std::vector<int> seen(part.rows(), 0);
      for (ClassId k = 0; k < 1000; ++k) {
        if (!part.has(k)) continue;
        ++seen.at(part.row(k));
        EXPECT_GE(part.row(k), part.first_row(part.index_of(k)));
        EXPECT_LT(part.row(k), part.first_row(part.index_of(k) + 1));
      }
      EXPECT_EQ(seen, std::vector<int>(part.rows(), 1));
      rows += part.rows();
    }
    EXPECT_EQ(rows, 1000U);
  }
}

TEST(ClassShards, AreAPowerOfTwoAndEnoughForTheRanks) {
  EXPECT_EQ(ClassShards::count_for(1), 8U);
  EXPECT_EQ(ClassShards::count_for(8), 8U);
  EXPECT_EQ(ClassShards::count_for(9), 16U);
  EXPECT_EQ(ClassShards::count_for(64), 64U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
