#include "train/parallel/weight_exchange.h"

#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "core/base/random.h"
#include "support/thread_ranks.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr std::size_t kSize = 3 * TouchedPages::kPage + 37;
constexpr int kRounds = 12;

/// Every rank changes some weights in every round; returns the arrays of all ranks in the end.
std::vector<std::vector<float>> train(int ranks, std::uint64_t* bytes = nullptr) {
  std::vector<std::vector<float>> results(static_cast<std::size_t>(ranks));
  std::mutex mutex;
  run_ranks(ranks, [&](Communicator& communicator) {
    std::vector<float> weights(kSize, 0.5F);
    std::vector<float> sums(40, 0.0F);
    WeightExchange exchange({{weights}, {sums}}, communicator);
    for (int round = 0; round < kRounds; ++round) {
      const CounterRandom random(7, RandomPurpose::kSynthetic, static_cast<std::uint32_t>(round));
      for (std::uint64_t step = 0; step < 20; ++step) {
        const std::uint64_t draw = step * 64 + static_cast<std::uint64_t>(communicator.rank());
        const std::size_t at = random.below(kSize, draw, 0);
        weights[at] += static_cast<float>(random.uniform(draw, 1) - 0.5);
        exchange.touched(0).touch(at, at + 1);
        sums[at % sums.size()] += 0.001F;
        exchange.touched(1).touch(at % sums.size(), at % sums.size() + 1);
      }
      exchange.exchange({});
    }
    exchange.settle();
    weights.insert(weights.end(), sums.begin(), sums.end());
    const std::lock_guard lock(mutex);
    results[static_cast<std::size_t>(communicator.rank())] = weights;
    if (bytes != nullptr && communicator.is_first()) *bytes = communicator.bytes_sent();
  });
  return results;
}

/// The same with the changes of all ranks made by one.
std::vector<float> expected(int ranks) {
  std::vector<float> weights(kSize, 0.5F);
  std::vector<float> sums(40, 0.0F);
  for (int round = 0; round < kRounds; ++round) {
    const CounterRandom random(7, RandomPurpose::kSynthetic, static_cast<std::uint32_t>(round));
    for (int rank = 0; rank < ranks; ++rank) {
      for (std::uint64_t step = 0; step < 20; ++step) {
        const std::uint64_t draw = step * 64 + static_cast<std::uint64_t>(rank);
        const std::size_t at = random.below(kSize, draw, 0);
        weights[at] += static_cast<float>(random.uniform(draw, 1) - 0.5);
        sums[at % sums.size()] += 0.001F;
      }
    }
  }
  weights.insert(weights.end(), sums.begin(), sums.end());
  return weights;
}

TEST(WeightExchange, AllRanksEndWithTheStepsOfAll) {
  for (const int ranks : {1, 2, 3, 5}) {
    SCOPED_TRACE(ranks);
    const std::vector<float> wanted = expected(ranks);
    const std::vector<std::vector<float>> results = train(ranks);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_NEAR(results[0][i], wanted[i], 2e-6) << i;
    }
    for (const std::vector<float>& result : results) EXPECT_EQ(result, results[0]);
  }
}

TEST(WeightExchange, SendsOnlyLinesThatHaveChanged) {
  std::uint64_t bytes = 0;
  train(2, &bytes);
  // At most 20 lines of 36 bytes for the weights and 3 for the sums in a round, and then every
  // line at most once to the owner of its page, and half of the pages back.
  const std::uint64_t per_round = 23 * 36 + 64;
  EXPECT_LT(bytes, kRounds * per_round + (kSize + 40 + 2 * 256) * 5);
  EXPECT_GT(bytes, kRounds * 10 * 36U);
}

TEST(WeightExchange, NotesComeWithTheNextExchange) {
  run_ranks(3, [](Communicator& ranks) {
    std::vector<float> weights(10, 0.0F);
    WeightExchange exchange({{weights}}, ranks);
    EXPECT_TRUE(exchange.exchange({.wants_stop = 0, .computing = 1.0}).empty());
    const auto wants_stop = static_cast<std::uint64_t>(ranks.rank() == 1);
    const auto first = exchange.exchange({.wants_stop = wants_stop, .computing = 2.0});
    ASSERT_EQ(first.size(), 3U);
    EXPECT_EQ(first[1].wants_stop, 0U);
    EXPECT_EQ(first[2].computing, 1.0);
    const auto second = exchange.settle();
    ASSERT_EQ(second.size(), 3U);
    EXPECT_EQ(second[0].wants_stop, 0U);
    EXPECT_EQ(second[1].wants_stop, 1U);
  });
}

TEST(WeightExchange, ChangesTooSmallToMatterComeWhenRanksSettle) {
  run_ranks(2, [](Communicator& ranks) {
    std::vector<float> weights(1000, 1.0F);
    WeightExchange exchange({{weights, 0.01F}}, ranks);
    if (ranks.is_first()) {
      weights[5] += 0.005F;
      weights[50] += 0.02F;
      exchange.touched(0).touch(5, 51);
    }
    exchange.exchange({});
    exchange.exchange({});
    EXPECT_NEAR(weights[50], 1.02F, 1e-4);
    EXPECT_EQ(weights[5], ranks.is_first() ? 1.0F + 0.005F : 1.0F);
    exchange.settle();
    EXPECT_EQ(weights[5], 1.0F + 0.005F);
  });
}

TEST(WeightExchange, ARankWithoutChangesFollowsTheOthers) {
  run_ranks(2, [](Communicator& ranks) {
    std::vector<float> weights(1000, 1.0F);
    WeightExchange exchange({{weights}}, ranks);
    if (ranks.is_first()) {
      weights[999] = 4.0F;
      exchange.touched(0).touch(999, 1000);
    } else {
      exchange.touched(0).touch(0, 1);  // a step of length zero changes nothing
    }
    exchange.exchange({});
    exchange.exchange({});
    EXPECT_EQ(weights[999], 4.0F);
    exchange.settle();
    EXPECT_EQ(weights[999], 4.0F);
    EXPECT_EQ(weights[0], 1.0F);
  });
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
