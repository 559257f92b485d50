#include "tune/search_space.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <tuple>
#include <vector>

#include "cane/names.h"
#include "methods/resolve.h"

namespace cane {
namespace CANE_THIS_FILE {

const DataFacts kFacts = {1000, 50, 20000, 1.0};

TrainConfig chosen_from(const TrainConfig& asked) {
  TrainConfig config = resolve(asked, kFacts).config;
  config.beam = asked.beam;
  return config;
}

TrainConfig asked_for(Method method, SelectorKind select = SelectorKind::kAuto) {
  TrainConfig config;
  config.method = method;
  config.select = select;
  return config;
}

TrainConfig chosen_for(Method method, SelectorKind select = SelectorKind::kAuto) {
  return chosen_from(asked_for(method, select));
}

TrainConfig chosen_beam_tree() {
  return chosen_for(Method::kCane, SelectorKind::kBeam);
}

// Every method, and for cane every selector.
std::vector<TrainConfig> all_asked() {
  std::vector<TrainConfig> all = {TrainConfig()};
  for (const Method method : {Method::kSoftmax, Method::kNce, Method::kNeg, Method::kBlackout,
                              Method::kOve, Method::kCss, Method::kHsm}) {
    all.push_back(asked_for(method));
  }
  for (const SelectorKind select :
       {SelectorKind::kBeam, SelectorKind::kNarrow, SelectorKind::kTree, SelectorKind::kCentroid,
        SelectorKind::kExact, SelectorKind::kAll}) {
    all.push_back(asked_for(Method::kCane, select));
  }
  return all;
}

float rate_of(OptimizerKind optimizer) {
  return optimizer == OptimizerKind::kSgd ? 1.0F : 0.125F;
}

TEST(SearchedOptions, AreThoseThatTheMethodHas) {
  const Tunable beam = searched_options({}, chosen_beam_tree(), 1000);
  EXPECT_TRUE(beam.lr && beam.optimizer && beam.candidates && beam.arity && !beam.noise_power);
  for (const Method method : {Method::kNce, Method::kNeg, Method::kBlackout}) {
    const Tunable noisy = searched_options({}, chosen_for(method), 1000);
    EXPECT_TRUE(noisy.lr && noisy.optimizer && noisy.noise_power) << name_of(method);
    EXPECT_FALSE(noisy.candidates || noisy.arity) << name_of(method);
  }
  for (const Method method : {Method::kSoftmax, Method::kOve, Method::kCss}) {
    const Tunable plain = searched_options({}, chosen_for(method), 1000);
    EXPECT_TRUE(plain.lr && plain.optimizer) << name_of(method);
    EXPECT_FALSE(plain.candidates || plain.arity || plain.noise_power) << name_of(method);
  }
  const Tunable hsm = searched_options({}, chosen_for(Method::kHsm), 1000);
  EXPECT_TRUE(hsm.lr && hsm.optimizer && hsm.arity && !hsm.candidates && !hsm.noise_power);
  EXPECT_FALSE(searched_options({}, chosen_for(Method::kCane, SelectorKind::kNarrow), 1000).arity);
  EXPECT_TRUE(searched_options({}, chosen_for(Method::kCane, SelectorKind::kTree), 1000).arity);
  EXPECT_FALSE(
      searched_options({}, chosen_for(Method::kCane, SelectorKind::kAll), 1000).candidates);
}

TEST(SearchedOptions, AreNoneThatAreNotAllowed) {
  const Tunable none = {.lr = false,
                        .optimizer = false,
                        .l2 = false,
                        .epochs = false,
                        .candidates = false,
                        .arity = false};
  const Tunable still_none = searched_options(none, chosen_beam_tree(), 1000);
  EXPECT_FALSE(still_none.lr || still_none.optimizer || still_none.l2 || still_none.epochs ||
               still_none.candidates || still_none.arity);
}

TEST(SearchedOptions, LeaveTheArityOfGivenTreesAlone) {
  for (const char* tree : {"huffman", "classes.tree"}) {
    TrainConfig asked = asked_for(Method::kHsm);
    asked.tree = tree;
    EXPECT_FALSE(searched_options({}, chosen_from(asked), 1000).arity) << tree;
  }
}

TEST(SearchedOptions, LeaveCandidatesAloneWhereTheBeamHasRoomForNoOthers) {
  TrainConfig asked = asked_for(Method::kCane, SelectorKind::kBeam);
  asked.candidates = 2;
  asked.beam = 3;
  EXPECT_FALSE(searched_options({}, chosen_from(asked), 1000).candidates);
}

TEST(PaperGrid, HasTheRatesAndForUnigramNoiseThePowers) {
  const TrainConfig cane = chosen_beam_tree();
  EXPECT_EQ(paper_grid(cane, searched_options({}, cane, 1000), 1000).size(), 7U);
  const TrainConfig nce = chosen_for(Method::kNce);
  Tunable searched = searched_options({}, nce, 1000);
  const auto grid = paper_grid(nce, searched, 1000);
  EXPECT_EQ(grid.size(), 42U);
  EXPECT_EQ(grid.front().lr, 0.0001F);
  EXPECT_EQ(grid.front().noise_power, 0.0F);
  EXPECT_EQ(grid.back().lr, 1.0F);
  EXPECT_EQ(grid.back().noise_power, 1.0F);
  searched.lr = false;
  EXPECT_EQ(paper_grid(nce, searched, 1000).size(), 6U);
}

TEST(PaperGrid, HasTheNodesAndSwapResistancesOfALomTree) {
  const TrainConfig lomtree = chosen_for(Method::kLomTree);
  const auto grid = paper_grid(lomtree, searched_options({}, lomtree, 1000), 1000);
  EXPECT_EQ(grid.size(), 7U * 4U * 4U);
  EXPECT_EQ(grid.front().nodes, 999U);
  EXPECT_EQ(grid.back().nodes, 63999U);
  EXPECT_EQ(grid.front().swap_resistance, 4U);
  EXPECT_EQ(grid.back().swap_resistance, 256U);
}

TEST(SearchSpace, BeginsWithItsBase) {
  TrainConfig base = chosen_beam_tree();
  base.epochs = 5;
  const SearchSpace space(base, searched_options({}, base, 1000), 1000, rate_of);
  EXPECT_EQ(space[0].lr, 0.0F);
  EXPECT_EQ(space[0].candidates, base.candidates);
  EXPECT_EQ(space[1].epochs, 5U);
  EXPECT_GT(space[1].lr, 0.0F);
}

TEST(SearchSpace, HasNothingThatContradictsItself) {
  for (TrainConfig asked : all_asked()) {
    for (const std::uint32_t beam : {0U, 30U}) {
      if (asked.select == SelectorKind::kAll && beam > 0) continue;  // too narrow for all
      asked.beam = beam;
      const TrainConfig base = chosen_from(asked);
      const Tunable searched = searched_options({}, base, kFacts.classes);
      const SearchSpace space(base, searched, kFacts.classes, rate_of);
      for (std::size_t i = 0; i < 40; ++i) {
        EXPECT_NO_THROW(resolve(space[i], kFacts))
            << name_of(base.method) << " " << name_of(base.select) << ", beam " << beam;
      }
      for (const TrainConfig& point : paper_grid(base, searched, kFacts.classes)) {
        EXPECT_NO_THROW(resolve(point, kFacts)) << name_of(base.method);
      }
    }
  }
}

TEST(SearchSpace, SpreadsRatesAroundTheAutomaticOneOfTheOptimizer) {
  const TrainConfig chosen = chosen_beam_tree();
  const SearchSpace space(chosen, searched_options({}, chosen, 1000), 1000, rate_of);
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
  const TrainConfig chosen = chosen_beam_tree();
  const SearchSpace space(chosen, searched_options({}, chosen, 1000), 1000, rate_of);
  std::set<std::tuple<OptimizerKind, float, std::uint32_t, std::uint32_t>> seen;
  for (std::size_t i = 1; i <= 120; ++i) {
    const TrainConfig config = space[i];
    seen.insert({config.optimizer, config.l2, config.candidates, config.arity});
  }
  EXPECT_EQ(seen.size(), 120U) << "2 optimisers, 4 decays, 5 numbers of candidates, 3 arities";
}

TEST(SearchSpace, IsFiniteWithoutTheRate) {
  const TrainConfig chosen = chosen_beam_tree();
  Tunable none = searched_options({}, chosen, 1000);
  none.lr = none.optimizer = none.l2 = none.candidates = none.arity = false;
  Tunable arity_only = none;
  arity_only.arity = true;
  const SearchSpace space(chosen, arity_only, 1000, rate_of);
  std::set<std::uint32_t> arities;
  for (std::size_t i = 0; i < space.size(); ++i) arities.insert(space[i].arity);
  EXPECT_EQ(arities.size(), space.size()) << "each once";
  EXPECT_GE(space.size(), 3U);
  EXPECT_EQ(space[0].arity, chosen.arity);
  EXPECT_EQ(SearchSpace(chosen, none, 1000, rate_of).size(), 1U);
}

TEST(SearchSpace, LeavesOutWhatFewClassesMakeAlike) {
  const TrainConfig chosen = chosen_beam_tree();
  const SearchSpace space(chosen, searched_options({}, chosen, 20), 20, rate_of);
  for (std::size_t i = 1; i < 50; ++i) {
    EXPECT_LT(space[i].candidates, 20U);
    EXPECT_LE(space[i].arity, 32U);
  }
}

TEST(SearchSpace, DependsOnTheSeed) {
  TrainConfig chosen = chosen_beam_tree();
  const Tunable searched = searched_options({}, chosen, 1000);
  const SearchSpace one(chosen, searched, 1000, rate_of);
  const SearchSpace same(chosen, searched, 1000, rate_of);
  chosen.seed = 2;
  const SearchSpace other(chosen, searched, 1000, rate_of);
  EXPECT_EQ(one[5].lr, same[5].lr);
  EXPECT_NE(one[5].lr, other[5].lr);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
