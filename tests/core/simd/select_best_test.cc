#include "core/simd/select_best.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/base/random.h"
#include "support/every_target.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<std::uint32_t> plain_best(const std::vector<float>& scores, std::uint32_t keep) {
  std::vector<std::uint32_t> places(scores.size());
  std::iota(places.begin(), places.end(), 0U);
  std::sort(places.begin(), places.end(),
            [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
  places.resize(keep);
  std::sort(places.begin(), places.end());
  return places;
}

TEST(SelectBest, EqualsASortOnEveryTarget) {
  const CounterRandom random(3, RandomPurpose::kSynthetic);
  on_every_target([&] {
    for (const std::uint32_t size : {16U, 32U, 64U, 144U, 320U}) {
      for (const std::uint32_t keep : {1U, 2U, 9U, 15U, 64U}) {
        if (keep + 3 > size) continue;
        std::vector<float> scores(size);
        for (std::uint32_t i = 0; i < size; ++i) {
          scores[i] = static_cast<float>(random.normal(i, size + keep)) * 10.0F;
        }
        // Padding between blocks.
        scores[3] = -kInfinity;
        scores[size - 1] = -kInfinity;
        std::vector<std::uint32_t> places(keep);
        ASSERT_TRUE(select_best(scores, keep, places.data()));
        ASSERT_EQ(places, plain_best(scores, keep));
      }
    }
  });
}

TEST(SelectBest, SeparatesScoresThatAreNextToEachOther) {
  std::vector<float> scores;
  for (float value = 1.0F; scores.size() < 64; value = std::nextafter(value, 2.0F)) {
    scores.push_back(value);
  }
  on_every_target([&] {
    std::vector<std::uint32_t> places(9);
    ASSERT_TRUE(select_best(scores, 9, places.data()));
    EXPECT_EQ(places, plain_best(scores, 9));
  });
}

TEST(SelectBest, LeavesTiesAtTheCutToTheCaller) {
  on_every_target([&] {
    std::vector<float> scores(32, -1.0F);
    std::vector<std::uint32_t> places(32);
    EXPECT_FALSE(select_best(scores, 4, places.data()));
    EXPECT_FALSE(select_best(scores, 1, places.data()));
    scores[5] = 3.0F;
    scores[9] = 2.0F;
    scores[20] = 2.0F;
    EXPECT_TRUE(select_best(scores, 1, places.data()));
    EXPECT_EQ(places[0], 5U);
    EXPECT_FALSE(select_best(scores, 2, places.data()));
    ASSERT_TRUE(select_best(scores, 3, places.data()));
    EXPECT_EQ(std::vector<std::uint32_t>(places.begin(), places.begin() + 3),
              (std::vector<std::uint32_t>{5, 9, 20}));
  });
}

// What it took, after checking that no score left out is as good as one taken. None is right as
// well, where `may_fail`.
std::uint32_t expect_best(const std::vector<float>& scores, std::uint32_t least, std::uint32_t most,
                          bool may_fail) {
  std::vector<std::uint32_t> places(most);
  const std::uint32_t found = select_approximately(scores, least, most, places.data());
  if (found == 0 && may_fail) return 0;
  EXPECT_GE(found, least);
  EXPECT_LE(found, most);
  places.resize(std::min(found, most));
  EXPECT_EQ(places, plain_best(scores, found));
  float worst_taken = kInfinity;
  for (const std::uint32_t place : places) worst_taken = std::min(worst_taken, scores[place]);
  for (std::uint32_t i = 0; i < scores.size(); ++i) {
    const bool taken = std::ranges::binary_search(places, i);
    EXPECT_TRUE(taken || scores[i] < worst_taken) << i;
  }
  return found;
}

TEST(SelectAbout, TakesTheBestAndAsManyAsAskedOnEveryTarget) {
  const CounterRandom random(4, RandomPurpose::kSynthetic);
  on_every_target([&] {
    for (const std::uint32_t size : {16U, 64U, 320U, 1008U}) {
      for (const std::uint32_t least : {1U, 3U, 9U, 27U, 200U}) {
        for (const std::uint32_t most : {least, least + 1, least + least / 4, 2 * least}) {
          if (most + 3 > size) continue;
          std::vector<float> scores(size);
          for (std::uint32_t i = 0; i < size; ++i) {
            scores[i] = static_cast<float>(random.normal(i, size + least)) * 10.0F;
          }
          scores[3] = -kInfinity;
          scores[size - 1] = -kInfinity;
          // Exactly so many of very many may be more than a few steps can tell apart.
          expect_best(scores, least, most, most < least + least / 4 && least > 64);
        }
      }
    }
  });
}

TEST(SelectAbout, TakesAllOrNoneOfTheScoresThatAreEqual) {
  const CounterRandom random(5, RandomPurpose::kSynthetic);
  on_every_target([&] {
    std::size_t answers = 0;
    for (const std::uint64_t values : {2U, 5U, 20U}) {
      std::vector<float> scores(144);
      for (std::uint32_t i = 0; i < scores.size(); ++i) {
        scores[i] = static_cast<float>(random.below(values, i, 0));
      }
      for (std::uint32_t least = 1; least < 100; least += 7) {
        answers += expect_best(scores, least, least + least / 4, true) > 0 ? 1 : 0;
      }
    }
    EXPECT_GT(answers, 5U);
    const std::vector<float> equal(64, 2.5F);
    EXPECT_EQ(expect_best(equal, 8, 10, true), 0U);
    // Nine share the best score: a range that has nine in it is the only one that can be met.
    std::vector<float> nine(64, -1.0F);
    for (std::uint32_t i = 0; i < 9; ++i) nine[5 + 6 * i] = 1.0F;
    EXPECT_EQ(expect_best(nine, 8, 10, false), 9U);
    EXPECT_EQ(expect_best(nine, 6, 8, true), 0U);
    EXPECT_EQ(expect_best(nine, 10, 12, true), 0U);
  });
}

TEST(SelectBest, NeverTakesWhatIsNotANumber) {
  on_every_target([&] {
    std::vector<float> scores(16, NAN);
    std::vector<std::uint32_t> places(16);
    EXPECT_FALSE(select_best(scores, 3, places.data()));
    scores.assign(32, NAN);
    for (std::uint32_t i = 0; i < 8; ++i) scores[i] = static_cast<float>(i);
    if (select_best(scores, 3, places.data())) {
      EXPECT_EQ(places[0], 5U);
      EXPECT_EQ(places[2], 7U);
    }
  });
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
