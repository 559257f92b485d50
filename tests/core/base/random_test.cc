#include "core/base/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>

namespace cane {
namespace CANE_THIS_FILE {

using ::testing::ElementsAre;

// The counter's words are the two of the example, the draw, and purpose and epoch; the key is the
// seed. So any counter can be asked for whose last word is a stream.
std::array<std::uint32_t, 4> philox(const std::array<std::uint32_t, 4>& counter,
                                    const std::array<std::uint32_t, 2>& key) {
  const auto purpose = static_cast<RandomPurpose>(counter[3] >> 24);
  const CounterRandom random(std::uint64_t{key[1]} << 32 | key[0], purpose, counter[3] & 0xFFFFFFU);
  return random.words(std::uint64_t{counter[1]} << 32 | counter[0], counter[2]);
}

// kat_vectors of Random123 (Salmon et al. 2011), philox4x32 with 10 rounds.
TEST(CounterRandom, GivesThePublishedNumbersOfPhilox) {
  EXPECT_THAT(philox({0, 0, 0, 0}, {0, 0}),
              ElementsAre(0x6627E8D5U, 0xE169C58DU, 0xBC57AC4CU, 0x9B00DBD8U));
  EXPECT_THAT(
      philox({0xFFFFFFFFU, 0xFFFFFFFFU, 0xFFFFFFFFU, 0xFFFFFFFFU}, {0xFFFFFFFFU, 0xFFFFFFFFU}),
      ElementsAre(0x408F276DU, 0x41C83B0EU, 0xA20BC7C6U, 0x6D5451FDU));
  EXPECT_THAT(
      philox({0x243F6A88U, 0x85A308D3U, 0x13198A2EU, 0x03707344U}, {0xA4093822U, 0x299F31D0U}),
      ElementsAre(0xD16CFE09U, 0x94FDCCEBU, 0x5001E420U, 0x24126EA1U));
}

TEST(CounterRandom, MakesNumbersInTheirRangesFromTheWords) {
  const CounterRandom random(5, RandomPurpose::kNoise, 3);
  EXPECT_EQ(random.epoch(), 3U);
  double sum = 0.0;
  double squares = 0.0;
  constexpr int kDraws = 20'000;
  for (int draw = 0; draw < kDraws; ++draw) {
    const auto example = static_cast<std::uint64_t>(draw);
    const auto words = random.words(example, 1);
    EXPECT_EQ(random.bits(example, 1), std::uint64_t{words[1]} << 32 | words[0]);
    const double uniform = random.uniform(example, 1);
    EXPECT_GE(uniform, 0.0);
    EXPECT_LT(uniform, 1.0);
    EXPECT_EQ(random.below(10, example, 1), static_cast<std::uint64_t>(uniform * 10.0));
    const double normal = random.normal(example, 1);
    sum += normal;
    squares += normal * normal;
  }
  // Five standard errors.
  EXPECT_NEAR(sum / kDraws, 0.0, 5.0 / std::sqrt(kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0, 5.0 * std::sqrt(2.0 / kDraws));
}

TEST(CounterRandom, DrawsOtherNumbersForAnotherPurposeEpochSeedExampleOrDraw) {
  const std::uint64_t bits = CounterRandom(1, RandomPurpose::kNoise, 2).bits(3, 4);
  EXPECT_EQ(CounterRandom(1, RandomPurpose::kNoise, 2).bits(3, 4), bits);
  EXPECT_NE(CounterRandom(1, RandomPurpose::kTree, 2).bits(3, 4), bits);
  EXPECT_NE(CounterRandom(1, RandomPurpose::kNoise, 3).bits(3, 4), bits);
  EXPECT_NE(CounterRandom(2, RandomPurpose::kNoise, 2).bits(3, 4), bits);
  EXPECT_NE(CounterRandom(1, RandomPurpose::kNoise, 2).bits(4, 4), bits);
  EXPECT_NE(CounterRandom(1, RandomPurpose::kNoise, 2).bits(3, 5), bits);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
