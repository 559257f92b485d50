#include "core/simd/change_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "core/base/random.h"
#include "support/every_target.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr float kLeast = 1.0F / 1024;

std::vector<float> random_values(std::uint64_t seed, double range) {
  const CounterRandom random(seed, RandomPurpose::kSynthetic);
  std::vector<float> values;
  for (std::size_t i = 0; i < kChangeLine; ++i) {
    values.push_back(static_cast<float>((2.0 * random.uniform(i, 0) - 1.0) * range));
  }
  return values;
}

TEST(ChangeKernels, TakesTheDifferenceAsHalvesAndKeepsTheRest) {
  on_every_target([] {
    for (const double range : {1e-6, 0.01, 10.0, 1e6}) {
      const std::vector<float> weights = random_values(1, range);
      const std::vector<float> before = random_values(2, range);
      std::vector<float> known = before;
      Half change[kChangeLine];
      EXPECT_TRUE(take_change(weights.data(), known.data(), kLeast, change));
      for (std::size_t i = 0; i < kChangeLine; ++i) {
        const float most = std::clamp(weights[i] - before[i], -kLargestHalf, kLargestHalf);
        // The last bit may be rounded down where the processor has no halves.
        EXPECT_LE(std::abs(int{change[i].bits} - int{to_half(most).bits}), 1);
        EXPECT_EQ(known[i], before[i] + to_float(change[i]));
      }
    }
  });
}

TEST(ChangeKernels, WhatIsTakenAgainAndAgainIsAllThatMatters) {
  on_every_target([] {
    const std::vector<float> weights = random_values(1, 1e5);  // more than a half can hold
    std::vector<float> known(kChangeLine, 0.0F);
    std::vector<float> sum(kChangeLine, 0.0F);
    std::vector<float> elsewhere(kChangeLine, 0.0F);
    Half change[kChangeLine];
    int rounds = 0;
    while (take_change(weights.data(), known.data(), kLeast, change)) {
      add_change(change, sum.data(), elsewhere.data());
      ASSERT_LT(++rounds, 10);
    }
    for (std::size_t i = 0; i < kChangeLine; ++i) {
      EXPECT_NEAR(sum[i], weights[i], 1e5 * kLeast);
      EXPECT_EQ(sum[i], elsewhere[i]);
    }
    EXPECT_GT(rounds, 1);
  });
}

TEST(ChangeKernels, LeavesOutChangesThatAreSmallForTheirLine) {
  on_every_target([] {
    std::vector<float> weights(kChangeLine, 1.0F);
    weights[3] = -2.0F;
    const std::vector<float> before = weights;
    std::vector<float> known = weights;
    Half change[kChangeLine];
    weights[7] += 0.99F * 2.0F * kLeast;
    EXPECT_FALSE(take_change(weights.data(), known.data(), kLeast, change));
    EXPECT_EQ(known, before);
    weights[7] += 0.02F * 2.0F * kLeast;
    EXPECT_TRUE(take_change(weights.data(), known.data(), kLeast, change));
    EXPECT_NEAR(known[7], weights[7], 1e-5);
  });
}

TEST(ChangeKernels, AddsToWhatWasThere) {
  on_every_target([] {
    const std::vector<float> before = random_values(3, 2.0);
    const std::vector<float> known_before = random_values(4, 2.0);
    std::vector<float> weights = before;
    std::vector<float> known = known_before;
    Half change[kChangeLine];
    for (std::size_t i = 0; i < kChangeLine; ++i)
      change[i] = to_half(0.25F * static_cast<float>(i));
    add_change(change, weights.data(), known.data());
    for (std::size_t i = 0; i < kChangeLine; ++i) {
      EXPECT_EQ(weights[i], before[i] + 0.25F * static_cast<float>(i));
      EXPECT_EQ(known[i], known_before[i] + 0.25F * static_cast<float>(i));
    }
  });
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
