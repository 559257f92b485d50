#include "train/classes/shard_sums.h"

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
    std::vector<float> sum;
    ShardSums(kShards, own).add_up(ranks, kCount, values, sum);
    if (ranks.rank() + 1 == count) found = sum;
  });
  return found;
}

TEST(ShardSums, AreTheSameBitsHoweverShardsAreSharedOut) {
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

TEST(ShardSums, OfNothingAreNothing) {
  run_ranks(2, [](Communicator& ranks) {
    std::vector<float> sum = {1.0F};
    ShardSums(kShards, shards_of_rank(kShards, ranks.rank(), 2)).add_up(ranks, 0, {}, sum);
    EXPECT_TRUE(sum.empty());
  });
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
