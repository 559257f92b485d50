#include "kernels/select_best.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"

namespace cane {
namespace {

struct Scores {
  std::vector<std::vector<float>> values;
  std::vector<std::vector<ClassId>> ties;
  std::vector<std::vector<float>> padded;  // with high scores that must not be taken

  std::vector<ScoredChildren> blocks() {
    std::vector<ScoredChildren> result;
    padded.clear();
    for (const auto& block : values) {
      padded.push_back(block);
      padded.back().resize(block.size() + kReadableBehind, 1e30F);
    }
    for (std::size_t b = 0; b < values.size(); ++b) {
      result.push_back(
          {values[b].data(), ties[b].data(), static_cast<std::uint32_t>(values[b].size())});
    }
    return result;
  }
};

Scores random_scores(const std::vector<std::uint32_t>& sizes, std::uint32_t levels) {
  const CounterRandom random(3, RandomPurpose::kSynthetic);
  Scores scores;
  std::uint32_t next = 0;
  for (const std::uint32_t size : sizes) {
    scores.values.emplace_back();
    scores.ties.emplace_back();
    for (std::uint32_t i = 0; i < size; ++i, ++next) {
      scores.values.back().push_back(static_cast<float>(random.below(levels, next, 0)) - 2.0F);
      scores.ties.back().push_back((next * 7919U) % 1000U);
    }
  }
  return scores;
}

struct BestFirst {
  const Scores& scores;
  bool operator()(const Choice& x, const Choice& y) const {
    if (x.score != y.score) return x.score > y.score;
    return scores.ties[x.block][x.child] < scores.ties[y.block][y.child];
  }
};

std::vector<Choice> plain_best(const Scores& scores, std::uint32_t keep) {
  std::vector<Choice> all;
  for (std::uint32_t b = 0; b < scores.values.size(); ++b) {
    for (std::uint32_t c = 0; c < scores.values[b].size(); ++c) {
      all.push_back({b, c, scores.values[b][c]});
    }
  }
  std::sort(all.begin(), all.end(), BestFirst{scores});
  all.resize(std::min<std::size_t>(keep, all.size()));
  return all;
}

// With few levels nearly all scores are ties, with many nearly none.
TEST(SelectBest, EqualsASortOnEveryTarget) {
  const auto supported = static_cast<std::uint64_t>(hwy::SupportedTargets());
  std::vector<float> scratch;
  for (std::uint64_t rest = supported; rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(static_cast<std::int64_t>(rest & (~rest + 1)));
    for (const std::vector<std::uint32_t>& sizes : std::vector<std::vector<std::uint32_t>>{
             {2}, {1, 1}, {3, 7, 8}, {16, 16, 15, 16}, {33, 2}}) {
      for (const std::uint32_t levels : {1U, 3U, 1000000U}) {
        for (const std::uint32_t keep : {1U, 2U, 9U, 64U}) {
          Scores scores = random_scores(sizes, levels);
          const auto expected = plain_best(scores, keep);
          std::vector<Choice> choices(keep);
          choices.resize(select_best(scores.blocks(), keep, scratch, choices.data()));
          std::sort(choices.begin(), choices.end(), BestFirst{scores});
          ASSERT_EQ(choices.size(), expected.size());
          for (std::size_t i = 0; i < choices.size(); ++i) {
            ASSERT_EQ(choices[i].block, expected[i].block);
            ASSERT_EQ(choices[i].child, expected[i].child);
            ASSERT_EQ(choices[i].score, expected[i].score);
          }
        }
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(SelectBest, PutsWhatIsNotANumberLast) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Scores scores = {{{NAN, 1.0F, -kInfinity, kInfinity, -1e38F}}, {{0, 1, 2, 3, 4}}, {}};
  const std::vector<std::uint32_t> best_first = {3, 1, 4,
                                                 0};  // on the tie of the rest the lower one
  std::vector<float> scratch;
  for (std::uint32_t keep = 1; keep <= 4; ++keep) {
    std::vector<Choice> choices(keep);
    ASSERT_EQ(select_best(scores.blocks(), keep, scratch, choices.data()), keep);
    std::vector<std::uint32_t> children;
    for (std::uint32_t i = 0; i < keep; ++i) children.push_back(choices[i].child);
    std::vector<std::uint32_t> expected(best_first.begin(), best_first.begin() + keep);
    std::sort(children.begin(), children.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(children, expected);
  }
}

TEST(SelectBest, SeparatesScoresThatAreNextToEachOther) {
  Scores scores;
  float value = 1.0F;
  for (int block = 0; block < 4; ++block) {
    scores.values.emplace_back();
    scores.ties.emplace_back();
    for (std::uint32_t child = 0; child < 16; ++child) {
      scores.values.back().push_back(value);
      scores.ties.back().push_back(child);
      value = std::nextafter(value, 2.0F);
    }
  }
  std::vector<float> scratch;
  std::vector<Choice> choices(9);
  ASSERT_EQ(select_best(scores.blocks(), 9, scratch, choices.data()), 9U);
  for (std::uint32_t i = 0; i < 9; ++i) {
    EXPECT_EQ(choices[i].block, 3U);
    EXPECT_GE(choices[i].child, 7U);
  }
}

}  // namespace
}  // namespace cane
