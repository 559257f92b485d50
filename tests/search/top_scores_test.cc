#include "search/top_scores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"

namespace cane {
namespace CANE_THIS_FILE {

// Padded as the scores of all classes are.
std::vector<float> padded(std::vector<float> scores) {
  scores.resize((scores.size() / 64 + 1) * 64, -INFINITY);
  return scores;
}

std::vector<ClassId> best_of(const std::vector<float>& scores, std::uint32_t keep) {
  TopScores top;
  std::vector<ClassId> labels;
  for (const Candidate& candidate :
       top.top_k(padded(scores), static_cast<std::uint32_t>(scores.size()), keep)) {
    const float score = scores[candidate.class_id];
    EXPECT_TRUE(candidate.score == score || (std::isnan(candidate.score) && std::isnan(score)));
    labels.push_back(candidate.class_id);
  }
  return labels;
}

// By definition: a class comes before another with a lower score, or the same and a higher number.
std::vector<ClassId> plain_best(const std::vector<float>& scores, std::uint32_t keep) {
  std::vector<ClassId> labels;
  std::vector<bool> taken(scores.size(), false);
  while (labels.size() < keep && labels.size() < scores.size()) {
    ClassId best = kUnknownClass;
    for (ClassId k = 0; k < scores.size(); ++k) {
      if (taken[k]) continue;
      if (best == kUnknownClass || scores[k] > scores[best] ||
          (std::isnan(scores[best]) && !std::isnan(scores[k]))) {
        best = k;
      }
    }
    taken[best] = true;
    labels.push_back(best);
  }
  return labels;
}

TEST(TopScores, EqualsSortingAllScores) {
  const CounterRandom random(3, RandomPurpose::kSynthetic);
  for (const std::uint32_t classes : {1U, 2U, 63U, 64U, 65U, 500U}) {
    std::vector<float> scores;
    for (ClassId k = 0; k < classes; ++k) {
      scores.push_back(static_cast<float>(random.normal(k, classes)));
    }
    for (const std::uint32_t keep : {1U, 2U, 9U, 64U, 65U, 499U, 500U, 1000U}) {
      EXPECT_EQ(best_of(scores, keep), plain_best(scores, keep)) << classes << " keep " << keep;
    }
  }
}

TEST(TopScores, TakesTheLowerClassOnATie) {
  EXPECT_EQ(best_of(std::vector<float>(100, 0.0F), 3), (std::vector<ClassId>{0, 1, 2}));
  std::vector<float> scores(200, 1.0F);
  for (const ClassId k : {5U, 70U, 199U}) scores[k] = 2.0F;
  scores[0] = 0.0F;
  for (const std::uint32_t keep : {1U, 2U, 3U, 4U, 50U, 150U, 200U}) {
    EXPECT_EQ(best_of(scores, keep), plain_best(scores, keep)) << keep;
  }
}

TEST(TopScores, PutsWhatIsNotANumberLast) {
  const CounterRandom random(4, RandomPurpose::kSynthetic);
  for (const std::uint64_t share : {1U, 2U, 9U}) {  // of ten
    std::vector<float> scores;
    for (ClassId k = 0; k < 150; ++k) {
      scores.push_back(random.below(10, k, 1) < share ? NAN
                                                      : static_cast<float>(random.normal(k, 0)));
    }
    scores[20] = -INFINITY;
    for (const std::uint32_t keep : {1U, 9U, 20U, 64U, 140U, 150U}) {
      EXPECT_EQ(best_of(scores, keep), plain_best(scores, keep)) << share << " keep " << keep;
    }
  }
  EXPECT_EQ(best_of(std::vector<float>(70, NAN), 3), (std::vector<ClassId>{0, 1, 2}));
}

// Sorted; none of the classes left out is better than one of them.
std::vector<ClassId> about_best_of(TopScores& top, const std::vector<float>& scores,
                                   std::uint32_t keep) {
  const std::vector<float> all = padded(scores);
  const auto found = top.approximate_top_k(all, static_cast<std::uint32_t>(scores.size()), keep);
  std::vector<ClassId> labels(found.begin(), found.end());
  std::ranges::sort(labels);
  auto expected = plain_best(scores, static_cast<std::uint32_t>(labels.size()));
  std::ranges::sort(expected);
  EXPECT_EQ(labels, expected) << "keep " << keep;
  return labels;
}

TEST(TopScores, AboutSoManyAreTheBestAndAtMostAQuarterMore) {
  const CounterRandom random(5, RandomPurpose::kSynthetic);
  TopScores top;
  for (const std::uint32_t classes : {1U, 2U, 63U, 64U, 65U, 500U}) {
    std::vector<float> scores;
    for (ClassId k = 0; k < classes; ++k) {
      scores.push_back(static_cast<float>(random.normal(k, classes)));
    }
    for (const std::uint32_t keep : {1U, 2U, 9U, 27U, 51U, 52U, 64U, 399U, 400U, 499U}) {
      const std::size_t found = about_best_of(top, scores, keep).size();
      EXPECT_GE(found, std::min(keep, classes)) << classes << " keep " << keep;
      EXPECT_LE(found, keep + keep / 4) << classes;
    }
    for (const std::uint32_t keep : {classes, classes + 1, 2 * classes}) {
      EXPECT_EQ(about_best_of(top, scores, keep).size(), classes);
    }
  }
}

TEST(TopScores, AboutSoManyAreJustSoManyOnATie) {
  TopScores top;
  EXPECT_EQ(about_best_of(top, std::vector<float>(100, 0.0F), 3), (std::vector<ClassId>{0, 1, 2}));
  EXPECT_EQ(about_best_of(top, std::vector<float>(100, NAN), 8).size(), 8U);
  std::vector<float> scores(200, 1.0F);
  for (const ClassId k : {5U, 70U, 199U}) scores[k] = 2.0F;
  EXPECT_EQ(about_best_of(top, scores, 3), (std::vector<ClassId>{5, 70, 199}));
  EXPECT_EQ(about_best_of(top, scores, 8).size(), 8U);
}

TEST(TopScores, TakesClassesAtMinusInfinityButNeverThePadding) {
  std::vector<float> scores(70, -INFINITY);
  scores[33] = 1.0F;
  EXPECT_EQ(best_of(scores, 3), (std::vector<ClassId>{33, 0, 1}));
  EXPECT_EQ(best_of(scores, 70), plain_best(scores, 70));
  TopScores top;
  EXPECT_EQ(about_best_of(top, scores, 8).size(), 8U);
  EXPECT_EQ(about_best_of(top, scores, 60).size(), 60U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
