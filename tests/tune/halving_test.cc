#include "tune/halving.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace cane {
namespace CANE_THIS_FILE {

struct Attempt {
  std::size_t configuration;
  std::uint32_t rung;
  double share;
};

// Configuration `best` has the highest score, and the more of the data the clearer it shows. A
// trial takes as many seconds as its share of an epoch.
class FakeTrials {
 public:
  explicit FakeTrials(std::size_t best) : best_(best) {}

  RunTrial runner() {
    return [this](std::size_t configuration, std::uint32_t rung, double share) {
      return run(configuration, rung, share);
    };
  }
  std::vector<Attempt> attempts;
  double seconds = 0.0;
  std::size_t stop_after = 1000000;
  std::uint32_t fail_from_rung = 1000;  // all but the configurations in `immune`
  std::vector<std::size_t> immune;
  double overhead = 0.0;

 private:
  std::optional<TrialOutcome> run(std::size_t configuration, std::uint32_t rung, double share) {
    if (attempts.size() >= stop_after) return std::nullopt;
    attempts.push_back({configuration, rung, share});
    const double cost = share + overhead;
    seconds += cost;
    const bool is_immune = std::find(immune.begin(), immune.end(), configuration) != immune.end();
    if (rung >= fail_from_rung && !is_immune) return TrialOutcome{std::nullopt, cost};
    const double distance =
        std::abs(static_cast<double>(configuration) - static_cast<double>(best_));
    return TrialOutcome{-distance * share, cost};
  }
  std::size_t best_;
};

HalvingOptions by_trials(std::uint32_t trials) {
  HalvingOptions options;
  options.configurations = 1000;
  options.first_share = 1.0 / 16.0;
  options.top_share = 1.0;
  options.trials = trials;
  return options;
}

HalvingOptions by_seconds(double seconds) {
  HalvingOptions options = by_trials(0);
  options.configurations = 100000;
  options.seconds = seconds;
  options.top_share = 20.0;
  return options;
}

TEST(Halving, FindsTheBestWithinItsTrials) {
  FakeTrials trials(7);
  EXPECT_EQ(successive_halving(by_trials(20), trials.runner()), 7U);
  ASSERT_EQ(trials.attempts.size(), 20U) << "10 + 5 + 3 + 2";
  EXPECT_EQ(trials.attempts.front().share, 1.0 / 8.0);
  EXPECT_EQ(trials.attempts.back().share, 1.0);
  std::map<std::uint32_t, int> by_rung;
  for (const Attempt& attempt : trials.attempts) ++by_rung[attempt.rung];
  EXPECT_EQ(by_rung, (std::map<std::uint32_t, int>{{0, 10}, {1, 5}, {2, 3}, {3, 2}}));
}

TEST(Halving, TakesAsManyTrialsAsItMay) {
  for (std::uint32_t most = 1; most <= 200; ++most) {
    FakeTrials trials(0);
    EXPECT_EQ(successive_halving(by_trials(most), trials.runner()), 0U);
    EXPECT_EQ(trials.attempts.size(), most);
    EXPECT_EQ(trials.attempts.back().share, 1.0) << most;
  }
}

TEST(Halving, TriesEveryConfigurationOfAFewOnce) {
  HalvingOptions options = by_trials(100);
  options.configurations = 3;
  FakeTrials trials(2);
  EXPECT_EQ(successive_halving(options, trials.runner()), 2U);
  EXPECT_EQ(trials.attempts.size(), 5U) << "3 + 2";
  options.configurations = 1;
  FakeTrials alone(0);
  EXPECT_EQ(successive_halving(options, alone.runner()), 0U);
  EXPECT_EQ(alone.attempts.size(), 1U);
}

TEST(Halving, UsesItsTimeAndHardlyMore) {
  for (const double seconds : {2.0, 5.0, 17.0, 60.0, 300.0, 3000.0}) {
    FakeTrials trials(3);
    EXPECT_EQ(successive_halving(by_seconds(seconds), trials.runner()), 3U) << seconds;
    EXPECT_LE(trials.seconds, seconds);
    EXPECT_GE(trials.seconds, 0.75 * seconds);
  }
}

TEST(Halving, WidensTheLastRungWhenThereIsTimeLeft) {
  HalvingOptions options = by_seconds(30.0);
  options.configurations = 12;
  options.top_share = 2.0;
  FakeTrials trials(3);
  EXPECT_EQ(successive_halving(options, trials.runner()), 3U);
  EXPECT_LE(trials.seconds, 30.0);
  std::vector<std::size_t> at_the_top;
  for (const Attempt& attempt : trials.attempts) {
    if (attempt.share == 2.0) at_the_top.push_back(attempt.configuration);
  }
  std::sort(at_the_top.begin(), at_the_top.end());
  EXPECT_EQ(std::adjacent_find(at_the_top.begin(), at_the_top.end()), at_the_top.end());
  EXPECT_GE(at_the_top.size(), 9U) << "two finalists, and those that were left behind";
}

TEST(Halving, SpendsMoreTimeOnMoreOfTheData) {
  FakeTrials few(3);
  FakeTrials many(3);
  successive_halving(by_seconds(3.0), few.runner());
  successive_halving(by_seconds(300.0), many.runner());
  EXPECT_LT(few.attempts.back().share, many.attempts.back().share);
  EXPECT_GE(many.attempts.back().share, 4.0);
}

TEST(Halving, RunsOneTrialHoweverLittleTimeThereIs) {
  FakeTrials trials(3);
  EXPECT_EQ(successive_halving(by_seconds(0.001), trials.runner()), 0U);
  EXPECT_EQ(trials.attempts.size(), 1U);
}

TEST(Halving, KeepsItsTimeWhenTrialsHaveAFixedCost) {
  FakeTrials trials(3);
  trials.overhead = 2.0;
  EXPECT_EQ(successive_halving(by_seconds(100.0), trials.runner()), 3U);
  EXPECT_LE(trials.seconds, 100.0);
  EXPECT_GE(trials.seconds, 75.0);
}

TEST(Halving, DropsConfigurationsThatFail) {
  FakeTrials trials(3);
  trials.fail_from_rung = 0;
  trials.immune = {5, 9};
  EXPECT_EQ(successive_halving(by_trials(20), trials.runner()), 5U);
  for (const Attempt& attempt : trials.attempts) {
    EXPECT_TRUE(attempt.rung == 0 || attempt.configuration == 5 || attempt.configuration == 9);
  }
}

TEST(Halving, KeepsTheConfigurationToBeatToTheEnd) {
  for (const HalvingOptions& options : {by_trials(40), by_seconds(40.0)}) {
    FakeTrials trials(15);
    EXPECT_EQ(successive_halving(options, trials.runner()), 15U);
    std::set<std::uint32_t> with_reference;
    for (const Attempt& attempt : trials.attempts) {
      if (attempt.configuration == 0) with_reference.insert(attempt.rung);
    }
    EXPECT_EQ(with_reference.size(), trials.attempts.back().rung + 1U);
  }
}

TEST(Halving, FallsBackToTheBestThatNeverFailed) {
  FakeTrials later(3);
  later.fail_from_rung = 1;
  EXPECT_EQ(successive_halving(by_trials(20), later.runner()), 5U)
      << "of 0 to 9 the four nearest to 3 failed on the second rung, and 0, which is to be beaten";
}

TEST(Halving, GivesUpWhenNothingSucceeds) {
  FakeTrials trials(3);
  trials.fail_from_rung = 0;
  EXPECT_EQ(successive_halving(by_trials(1000), trials.runner()), std::nullopt);
  EXPECT_LT(trials.attempts.size(), 20U);
}

TEST(Halving, ReturnsTheBestSoFarWhenItIsStopped) {
  FakeTrials none(3);
  none.stop_after = 0;
  EXPECT_EQ(successive_halving(by_trials(20), none.runner()), std::nullopt);
  for (const std::size_t after : {4U, 9U, 12U, 16U, 19U}) {
    FakeTrials trials(3);
    trials.stop_after = after;
    EXPECT_EQ(successive_halving(by_trials(20), trials.runner()), 3U) << after;
    EXPECT_EQ(trials.attempts.size(), after);
    FakeTrials timed(3);
    timed.stop_after = after;
    EXPECT_EQ(successive_halving(by_seconds(60.0), timed.runner()), 3U) << after;
    EXPECT_EQ(timed.attempts.size(), after);
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
