#include "step/rank_sums.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/random.h"
#include "support/thread_ranks.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr std::uint32_t kShards = 16;
constexpr std::size_t kCount = 37;

float value(std::uint32_t shard, std::size_t i) {
  return static_cast<float>(
      CounterRandom(3, RandomPurpose::kSynthetic).normal(shard, static_cast<std::uint32_t>(i)));
}

std::vector<float> sum_on(int count) {
  std::vector<float> found;
  run_ranks(count, [&](Communicator& ranks) {
    const OwnShards own = shards_of_rank(kShards, ranks.rank(), ranks.ranks());
    std::vector<float> values;
    for (std::uint32_t shard = own.begin; shard < own.end; ++shard) {
      for (std::uint32_t i = 0; i < kCount; ++i) values.push_back(value(shard, i));
    }
    const ClassPart part({1000, kShards}, own);
    const std::vector<float> sum = add_up_shards(part, ranks, kCount, values);
    if (ranks.rank() + 1 == count) found = sum;
  });
  return found;
}

TEST(RankSums, OfStepsAreTheSameBitsHoweverShardsAreSharedOut) {
  const std::vector<float> alone = sum_on(1);
  ASSERT_EQ(alone.size(), kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    double plain = 0.0;
    for (std::uint32_t shard = 0; shard < kShards; ++shard) {
      plain += static_cast<double>(value(shard, i));
    }
    EXPECT_NEAR(alone[i], plain, 1e-5);
  }
  for (const int ranks : {2, 3, 5, 7, 8, 11, 16}) EXPECT_EQ(sum_on(ranks), alone) << ranks;
}

TEST(RankSums, EveryRankGetsThoseOfAllShards) {
  constexpr std::size_t kExamples = 16;
  for (const int count : {1, 3, 8}) {
    run_ranks(count, [&](Communicator& ranks) {
      const OwnShards own = shards_of_rank(8, ranks.rank(), count);
      RankSums sums(ClassPart({1000, 8}, own), ranks, kExamples);
      for (std::uint32_t i = 0; i < own.count(); ++i) {
        sums.set_empty(sums.own(i));
        sums.own(i).largest[3] = static_cast<float>(own.begin + i);
        sums.own(i).squares[15] = 5.0F;
      }
      sums.own(own.count()).sums[2] = static_cast<float>(ranks.rank());
      std::vector<float> labels(kExamples, 0.0F);
      labels[static_cast<std::size_t>(ranks.rank())] = 7.0F;
      EXPECT_EQ(sums.exchange(labels, ranks.rank() == 2), count > 2);
      for (std::size_t e = 0; e < kExamples; ++e) {
        EXPECT_EQ(labels[e], e < static_cast<std::size_t>(count) ? 7.0F : 0.0F);
      }
      ASSERT_EQ(sums.all(false).size(), 8U);
      for (std::size_t shard = 0; shard < 8; ++shard) {
        EXPECT_EQ(sums.all(false)[shard].largest[3], static_cast<float>(shard));
        EXPECT_EQ(sums.all(false)[shard].sums[3], 0.0F);
        EXPECT_EQ(sums.all(false)[shard].squares[15], 5.0F);
      }
      ASSERT_EQ(sums.all(true).size(), 8U + static_cast<std::size_t>(count));
      for (std::size_t rank = 0; rank < static_cast<std::size_t>(count); ++rank) {
        EXPECT_EQ(sums.all(true)[8 + rank].sums[2], static_cast<float>(rank));
      }
      EXPECT_FALSE(sums.exchange(labels, false));
    });
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
