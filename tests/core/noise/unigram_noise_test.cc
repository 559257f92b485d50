#include "core/noise/unigram_noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "cane/error.h"
#include "core/noise/uniform_noise.h"
#include "support/chi_square.h"

namespace cane {
namespace CANE_THIS_FILE {

// The law by its definition, in extended precision and without any subtraction.
std::vector<double> law_of(const std::vector<double>& counts, double power,
                           const std::vector<ClassId>& excluded) {
  std::vector<long double> masses;
  long double total = 0.0L;
  for (ClassId k = 0; k < counts.size(); ++k) {
    const bool out = std::ranges::binary_search(excluded, k);
    const double count = counts[k] > 0.0 ? counts[k] : 1.0;
    masses.push_back(out ? 0.0L : std::pow(static_cast<long double>(count), power));
    total += masses.back();
  }
  std::vector<double> law;
  for (const long double mass : masses) law.push_back(static_cast<double>(mass / total));
  return law;
}

struct Drawn {
  std::vector<ClassId> noises;
  std::vector<float> log_q;
};

Drawn draw(const FixedNoise& noise, const std::vector<ClassId>& excluded, std::uint64_t example,
           std::size_t count, std::uint64_t seed = 5, std::uint32_t epoch = 1) {
  Drawn drawn{std::vector<ClassId>(count), std::vector<float>(count)};
  noise.sample(excluded, CounterRandom(seed, RandomPurpose::kNoise, epoch), example, drawn.noises,
               drawn.log_q);
  return drawn;
}

// Draws often, and compares frequencies and log-probabilities with the law.
void expect_law(const std::vector<double>& counts, float power,
                const std::vector<ClassId>& excluded) {
  const UnigramNoise noise(counts, power);
  const auto law = law_of(counts, static_cast<double>(power), excluded);
  std::vector<double> observed(counts.size(), 0.0);
  for (std::uint64_t example = 0; example < 3000; ++example) {
    const Drawn drawn = draw(noise, excluded, example, 8);
    for (std::size_t i = 0; i < drawn.noises.size(); ++i) {
      const ClassId label = drawn.noises[i];
      ASSERT_FALSE(std::ranges::binary_search(excluded, label)) << label;
      ASSERT_EQ(drawn.log_q[i], noise.log_probability(label, excluded));
      observed[label] += 1.0;
    }
  }
  const testing::ChiSquare result = testing::chi_square(observed, law);
  EXPECT_LE(result.statistic, result.limit);
  for (ClassId k = 0; k < counts.size(); ++k) {
    if (law[k] == 0.0) continue;
    // Rounded to a float, and to nothing worse.
    const double log_q = std::log(law[k]);
    EXPECT_NEAR(noise.log_probability(k, excluded), log_q, 1e-15 - 6.1e-8 * log_q) << k;
  }
}

std::vector<ClassId> all_but(std::uint32_t classes, std::vector<ClassId> kept) {
  std::vector<ClassId> excluded;
  for (ClassId k = 0; k < classes; ++k) {
    if (!std::ranges::binary_search(kept, k)) excluded.push_back(k);
  }
  return excluded;
}

TEST(UnigramNoise, FollowsTheLawThatRemainsOutsideTheExcludedSet) {
  const std::vector<double> counts = {500, 3, 40, 0, 7, 7, 1, 120, 60, 2.5, 33, 14, 90};
  const std::vector<std::vector<ClassId>> excluded_sets = {{},
                                                           {0},
                                                           {12},
                                                           {0, 12},
                                                           {3, 5, 9},
                                                           {0, 2, 7},             // 75% of the mass
                                                           {0, 2, 7, 8, 10, 12},  // 96%
                                                           all_but(13, {1, 3, 6, 9}),
                                                           all_but(13, {0, 3}),
                                                           all_but(13, {3}),
                                                           all_but(13, {0}),
                                                           all_but(13, {12})};
  for (const float power : {0.0F, 0.5F, 0.75F, 1.0F, 2.0F}) {
    for (std::size_t set = 0; set < excluded_sets.size(); ++set) {
      SCOPED_TRACE(::testing::Message() << "power " << power << ", excluded set " << set);
      expect_law(counts, power, excluded_sets[set]);
    }
  }
}

// Three quarters of the mass is where one way of drawing gives way to the other.
TEST(UnigramNoise, FollowsTheSameLawOnBothSidesOfTheThreshold) {
  std::vector<double> counts = {0, 16, 8, 4, 2, 2};
  for (const double heavy : {90.0, 95.0, 96.0, 97.0, 102.0}) {
    SCOPED_TRACE(heavy);
    counts[0] = heavy;
    expect_law(counts, 1.0F, {0});
  }
}

TEST(UnigramNoise, GivesTheSameLawFromWholeNumbers) {
  const std::vector<std::uint64_t> counts = {0, 1, 5, 1000000007};
  const std::vector<double> weights(counts.begin(), counts.end());
  const UnigramNoise from_counts(counts, 0.75F);
  const UnigramNoise from_weights(weights, 0.75F);
  for (ClassId k = 0; k < counts.size(); ++k) {
    EXPECT_EQ(from_counts.log_probability(k, {}), from_weights.log_probability(k, {}));
  }
  EXPECT_EQ(draw(from_counts, {}, 3, 100).noises, draw(from_weights, {}, 3, 100).noises);
}

TEST(UnigramNoise, IsUniformAtPowerZero) {
  const std::vector<double> counts = {1000, 0, 1, 17, 1e9, 3};
  const UnigramNoise noise(counts, 0.0F);
  const UniformNoise uniform(6);
  for (const std::vector<ClassId>& excluded :
       {std::vector<ClassId>{}, {1}, {0, 4}, {0, 1, 3, 4, 5}}) {
    for (ClassId k = 0; k < counts.size(); ++k) {
      if (std::ranges::binary_search(excluded, k)) continue;
      EXPECT_EQ(noise.log_probability(k, excluded), noise.log_probability(2, excluded));
      EXPECT_FLOAT_EQ(noise.log_probability(k, excluded), uniform.log_probability(k, excluded));
    }
  }
}

TEST(UnigramNoise, CountsAClassWithoutExamplesAsOneExample) {
  const UnigramNoise noise(std::vector<double>{0, 1, 8}, 1.0F);
  EXPECT_EQ(noise.log_probability(0, {}), noise.log_probability(1, {}));
  EXPECT_FLOAT_EQ(noise.log_probability(0, {}), std::log(0.1F));
}

TEST(UnigramNoise, DrawsFromTheRestOfAClassThatHasNearlyAllMass) {
  // One part in 10^18: 1 - q(excluded) by subtraction would have no correct digit.
  for (const ClassId heavy : {0U, 2U, 4U}) {
    SCOPED_TRACE(heavy);
    std::vector<double> counts = {3, 1, 4, 1, 5};
    counts[heavy] = 1e18;
    expect_law(counts, 1.0F, {heavy});
  }
  std::vector<double> counts(1000, 1.0);
  counts[77] = 1e300;
  expect_law(counts, 1.0F, {77});
}

TEST(UnigramNoise, KeepsEveryClassPossibleWhereAPowerUnderflows) {
  const std::vector<double> counts = {1, 1e30, 1};
  const UnigramNoise noise(counts, 100.0F);
  EXPECT_TRUE(std::isfinite(noise.log_probability(0, {})));
  EXPECT_EQ(noise.log_probability(1, {}), 0.0F);
  EXPECT_FLOAT_EQ(noise.log_probability(2, std::vector<ClassId>{1}), std::log(0.5F));
  const Drawn drawn = draw(noise, {1}, 1, 200);
  EXPECT_GT(std::ranges::count(drawn.noises, 0U), 50);
  EXPECT_GT(std::ranges::count(drawn.noises, 2U), 50);
}

TEST(UnigramNoise, IsCertainOfTheOnlyClassLeft) {
  const std::vector<double> counts = {0.1, 0.2, 0.7, 1e-9};
  for (ClassId left = 0; left < counts.size(); ++left) {
    const auto excluded = all_but(4, {left});
    const Drawn drawn = draw(UnigramNoise(counts, 1.0F), excluded, 9, 100);
    EXPECT_EQ(drawn.noises, std::vector<ClassId>(100, left));
    for (const float log_q : drawn.log_q) EXPECT_LE(std::abs(log_q), 1e-15F);
  }
  EXPECT_EQ(draw(UnigramNoise(std::vector<double>{5}, 1.0F), {}, 1, 2).noises,
            (std::vector<ClassId>{0, 0}));
}

TEST(UnigramNoise, FollowsTheLawOfManyClassesOfZipfCounts) {
  std::vector<double> counts;
  for (int rank = 1; rank <= 3001; ++rank) counts.push_back(1e6 / rank);
  std::vector<ClassId> head(400);
  std::iota(head.begin(), head.end(), 0U);
  expect_law(counts, 1.0F, {});
  expect_law(counts, 1.0F, head);
  expect_law(counts, 0.75F, all_but(3001, {1, 10, 1000, 1001, 1002, 3000}));
}

TEST(UnigramNoise, IsAPureFunctionOfSeedEpochExampleAndDraw) {
  const std::vector<double> counts = {9, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const UnigramNoise noise(counts, 1.0F);
  // By trying again, and by searching what remains.
  for (const std::vector<ClassId>& excluded : {std::vector<ClassId>{0}, {0, 1, 2, 3, 4, 5, 6}}) {
    const auto noises = [&](std::uint64_t seed, std::uint32_t epoch, std::uint64_t example) {
      return draw(noise, excluded, example, 32, seed, epoch).noises;
    };
    EXPECT_EQ(noises(1, 2, 3), noises(1, 2, 3));
    EXPECT_NE(noises(1, 2, 3), noises(2, 2, 3));
    EXPECT_NE(noises(1, 2, 3), noises(1, 3, 3));
    EXPECT_NE(noises(1, 2, 3), noises(1, 2, 4));
  }
}

// If a second try of one draw took the number of another draw, the pairs would be correlated.
TEST(UnigramNoise, DrawsOfAnExampleAreIndependent) {
  constexpr std::size_t kLeft = 4;
  const std::vector<double> counts = {6, 3, 2, 1, 2};  // class 0 is excluded
  const UnigramNoise noise(counts, 1.0F);
  const auto law = law_of(counts, 1.0, {0});
  for (std::size_t lag = 1; lag <= 2; ++lag) {
    std::vector<double> observed(kLeft * kLeft, 0.0);
    std::vector<double> expected(kLeft * kLeft, 0.0);
    for (std::uint64_t example = 0; example < 40000; ++example) {
      const Drawn drawn = draw(noise, {0}, example, 3);
      observed[(drawn.noises[0] - 1) * kLeft + drawn.noises[lag] - 1] += 1.0;
    }
    for (std::size_t a = 0; a < kLeft; ++a) {
      for (std::size_t b = 0; b < kLeft; ++b) expected[a * kLeft + b] = law[a + 1] * law[b + 1];
    }
    const testing::ChiSquare result = testing::chi_square(observed, expected);
    EXPECT_LE(result.statistic, result.limit) << "lag " << lag;
  }
}

TEST(UnigramNoise, RefusesWhatIsNoPower) {
  const std::vector<double> counts = {1, 2};
  for (const float power :
       {-0.5F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    EXPECT_THROW(UnigramNoise(counts, power), Error);
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
