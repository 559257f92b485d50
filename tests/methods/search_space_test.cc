#include "methods/search_space.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <tuple>

namespace cane {
namespace {

TrainConfig chosen_for(Method method) {
  TrainConfig config;
  config.method = method;
  config.select = Select::kBeam;
  config.scorer = Scorer::kPath;
  config.noise = Noise::kUniform;
  config.optimizer = Optimizer::kSgd;
  config.candidates = 9;
  if (method == Method::kNce) {
    config.select = Select::kAuto;
    config.scorer = Scorer::kFlat;
    config.noise = Noise::kUnigram;
  }
  return config;
}

float rate_of(Optimizer optimizer) {
  return optimizer == Optimizer::kSgd ? 1.0F : 0.125F;
}

TEST(SearchedOptions, AreThoseThatTheMethodHas) {
  const Tunable cane = searched_options({}, chosen_for(Method::kCane), 1000);
  EXPECT_TRUE(cane.lr && cane.optimizer && cane.candidates && cane.arity && !cane.noise_power);
  const Tunable nce = searched_options({}, chosen_for(Method::kNce), 1000);
  EXPECT_TRUE(nce.lr && nce.optimizer && !nce.candidates && !nce.arity && nce.noise_power);
  TrainConfig narrow = chosen_for(Method::kCane);
  narrow.select = Select::kNarrow;
  narrow.scorer = Scorer::kFlat;
  EXPECT_FALSE(searched_options({}, narrow, 1000).arity);
  TrainConfig file = chosen_for(Method::kCane);
  file.tree = "classes.tree";
  EXPECT_FALSE(searched_options({}, file, 1000).arity);
  TrainConfig all = chosen_for(Method::kCane);
  all.select = Select::kAll;
  EXPECT_FALSE(searched_options({}, all, 1000).candidates);
  Tunable none = {false, false, false, false, false};
  const Tunable still_none = searched_options(none, chosen_for(Method::kCane), 1000);
  EXPECT_FALSE(still_none.lr || still_none.optimizer || still_none.candidates || still_none.arity);
}

TEST(SearchedOptions, MakeNceNegAndBlackoutDrawByFrequency) {
  TrainConfig asked;
  for (const Method method : {Method::kNce, Method::kNeg, Method::kBlackout}) {
    asked.method = method;
    EXPECT_EQ(with_noise_to_search(asked, {}).noise, Noise::kUnigram);
  }
  EXPECT_EQ(with_noise_to_search(asked, {true, true, true, true, false}).noise, Noise::kAuto);
  asked.noise = Noise::kUniform;
  EXPECT_EQ(with_noise_to_search(asked, {}).noise, Noise::kUniform);
  asked = {};
  asked.method = Method::kCane;
  EXPECT_EQ(with_noise_to_search(asked, {}).noise, Noise::kAuto);
}

TEST(PaperGrid, HasTheRatesAndForUnigramNoiseThePowers) {
  const TrainConfig cane = chosen_for(Method::kCane);
  EXPECT_EQ(paper_grid(cane, searched_options({}, cane, 1000)).size(), 7U);
  const TrainConfig nce = chosen_for(Method::kNce);
  Tunable searched = searched_options({}, nce, 1000);
  const auto grid = paper_grid(nce, searched);
  EXPECT_EQ(grid.size(), 42U);
  EXPECT_EQ(grid.front().lr, 0.0001F);
  EXPECT_EQ(grid.front().noise_power, 0.0F);
  EXPECT_EQ(grid.back().lr, 1.0F);
  EXPECT_EQ(grid.back().noise_power, 1.0F);
  searched.lr = false;
  EXPECT_EQ(paper_grid(nce, searched).size(), 6U);
}

TEST(SearchSpace, BeginsWithWhatWasAskedFor) {
  const TrainConfig chosen = chosen_for(Method::kCane);
  TrainConfig base;
  base.epochs = 5;
  const SearchSpace space(base, chosen, searched_options({}, chosen, 1000), 1000, rate_of);
  EXPECT_EQ(space[0].lr, 0.0F);
  EXPECT_EQ(space[0].candidates, 0U);
  EXPECT_EQ(space[1].epochs, 5U);
  EXPECT_GT(space[1].lr, 0.0F);
  EXPECT_GT(space[1].candidates, 0U);
}

TEST(SearchSpace, SpreadsRatesAroundTheAutomaticOneOfTheOptimizer) {
  const TrainConfig chosen = chosen_for(Method::kCane);
  const SearchSpace space(chosen, chosen, searched_options({}, chosen, 1000), 1000, rate_of);
  std::set<int> octaves;
  for (std::size_t i = 1; i <= 32; ++i) {
    const TrainConfig config = space[i];
    const double ratio = static_cast<double>(config.lr / rate_of(config.optimizer));
    octaves.insert(static_cast<int>(std::floor(std::log2(ratio))));
    EXPECT_GE(ratio, 1.0 / 16.1);
    EXPECT_LE(ratio, 16.1);
  }
  EXPECT_GE(octaves.size(), 8U);
}

TEST(SearchSpace, TriesEveryCombinationBeforeItRepeatsOne) {
  const TrainConfig chosen = chosen_for(Method::kCane);
  const SearchSpace space(chosen, chosen, searched_options({}, chosen, 1000), 1000, rate_of);
  std::set<std::tuple<Optimizer, std::uint32_t, std::uint32_t>> seen;
  for (std::size_t i = 1; i <= 30; ++i) {
    const TrainConfig config = space[i];
    seen.insert({config.optimizer, config.candidates, config.arity});
  }
  EXPECT_EQ(seen.size(), 30U) << "2 optimisers, 5 numbers of candidates, 3 arities";
}

TEST(SearchSpace, IsFiniteWithoutTheRate) {
  const TrainConfig chosen = chosen_for(Method::kCane);
  const Tunable arity_only = {false, false, false, true, false};
  const SearchSpace space(chosen, chosen, arity_only, 1000, rate_of);
  ASSERT_EQ(space.size(), 3U);
  const std::set<std::uint32_t> arities = {space[0].arity, space[1].arity, space[2].arity};
  EXPECT_EQ(arities, (std::set<std::uint32_t>{16, 32, 64}));
  EXPECT_EQ(SearchSpace(chosen, chosen, {false, false, false, false, false}, 1000, rate_of).size(),
            1U);
}

TEST(SearchSpace, LeavesOutWhatFewClassesMakeAlike) {
  const TrainConfig chosen = chosen_for(Method::kCane);
  const SearchSpace space(chosen, chosen, searched_options({}, chosen, 20), 20, rate_of);
  for (std::size_t i = 1; i < 50; ++i) {
    EXPECT_LT(space[i].candidates, 20U);
    EXPECT_LE(space[i].arity, 32U);
  }
}

TEST(SearchSpace, DependsOnTheSeed) {
  TrainConfig chosen = chosen_for(Method::kCane);
  const Tunable searched = searched_options({}, chosen, 1000);
  const SearchSpace one(chosen, chosen, searched, 1000, rate_of);
  const SearchSpace same(chosen, chosen, searched, 1000, rate_of);
  chosen.seed = 2;
  const SearchSpace other(chosen, chosen, searched, 1000, rate_of);
  EXPECT_EQ(one[5].lr, same[5].lr);
  EXPECT_NE(one[5].lr, other[5].lr);
}

}  // namespace
}  // namespace cane
