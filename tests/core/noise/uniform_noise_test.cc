#include "core/noise/uniform_noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/chi_square.h"

namespace cane {
namespace CANE_THIS_FILE {

TEST(UniformNoise, FrequenciesAgreeWithTheStatedProbabilitiesOutsideTheExcludedSet) {
  constexpr std::uint32_t kClasses = 23;
  constexpr std::uint32_t kDraws = 40000;
  const UniformNoise noise(kClasses);
  const CounterRandom random(5, RandomPurpose::kNoise, 1);
  const std::vector<ClassId> excluded_sets[] = {
      {}, {0}, {22}, {0, 1, 2, 3}, {3, 7, 11, 22}, {0, 22}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
  for (const auto& excluded : excluded_sets) {
    std::vector<double> counts(kClasses, 0.0);
    std::vector<ClassId> drawn(4);
    std::vector<float> log_q(4);
    for (std::uint32_t example = 0; example < kDraws / 4; ++example) {
      noise.sample(excluded, random, example, drawn, log_q);
      for (std::size_t i = 0; i < drawn.size(); ++i) {
        counts[drawn[i]] += 1.0;
        ASSERT_EQ(log_q[i], noise.log_probability(drawn[i], excluded));
      }
    }
    std::vector<double> stated(kClasses, 0.0);
    double stated_total = 0.0;
    for (ClassId k = 0; k < kClasses; ++k) {
      if (std::binary_search(excluded.begin(), excluded.end(), k)) continue;
      stated[k] = std::exp(static_cast<double>(noise.log_probability(k, excluded)));
      stated_total += stated[k];
    }
    EXPECT_NEAR(stated_total, 1.0, 1e-5);
    const testing::ChiSquare result = testing::chi_square(counts, stated);
    EXPECT_LE(result.statistic, result.limit);
  }
}

TEST(UniformNoise, IsAPureFunctionOfSeedEpochExampleAndDraw) {
  const UniformNoise noise(1000);
  const std::vector<ClassId> excluded = {10, 20};
  const auto draw = [&](std::uint64_t seed, std::uint32_t epoch, std::uint64_t example) {
    std::vector<ClassId> drawn(8);
    std::vector<float> log_q(8);
    noise.sample(excluded, CounterRandom(seed, RandomPurpose::kNoise, epoch), example, drawn,
                 log_q);
    return drawn;
  };
  EXPECT_EQ(draw(1, 2, 3), draw(1, 2, 3));
  EXPECT_NE(draw(1, 2, 3), draw(2, 2, 3));
  EXPECT_NE(draw(1, 2, 3), draw(1, 3, 3));
  EXPECT_NE(draw(1, 2, 3), draw(1, 2, 4));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
