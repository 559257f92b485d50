// What lanes do together is what one does alone: the whole learner with several lanes for each
// item, in either order, as the threads of a GPU would run it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "device/fiber_lanes.h"
#include "device/learner_support.h"
#include "device/parts/learner_on.h"
#include "device/plain/candidates.h"
#include "support/small_data.h"

namespace cane {
namespace CANE_THIS_FILE {

using device::LearnerOn;
using device::Table;
using testing::FiberBackend;
using testing::FiberLanes;
using testing::FiberTeam;
using testing::PlainData;
using testing::SmallData;
using testing::SmallDataOptions;
using testing::SmallSpec;
using testing::Training;

TEST(SelectBest, IsTheBeginningOfASort) {
  const CounterRandom random(3, RandomPurpose::kSynthetic);
  for (const std::uint32_t count : {1U, 2U, 7U, 64U, 100U, 257U}) {
    std::vector<float> values(count);
    // Few values, so that there are ties, and both signs.
    for (std::uint32_t i = 0; i < count; ++i) {
      values[i] = static_cast<float>(random.below(12, i, count)) - 6.0F;
    }
    for (const std::uint32_t keep : {1U, 3U, count / 2, count}) {
      if (keep == 0 || keep > count) continue;
      std::vector<std::uint32_t> expected(count);
      std::iota(expected.begin(), expected.end(), 0U);
      std::stable_sort(expected.begin(), expected.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return values[a] > values[b]; });
      expected.resize(keep);
      std::sort(expected.begin(), expected.end());
      for (const std::uint32_t lanes : {1U, 3U, 32U}) {
        FiberTeam team(lanes, lanes == 3);
        std::vector<std::uint32_t> places(keep);
        team.run([&](std::uint32_t lane) {
          device::select_best(values.data(), count, keep, places.data(), FiberLanes{&team, lane});
        });
        ASSERT_EQ(places, expected) << count << " " << keep << " " << lanes;
      }
    }
  }
}

TEST(HoldsPosition, IsTrueForOneLaneWithMass) {
  const std::vector<float> values = {0.0F, 2.0F, 0.0F, 0.0F, 1.0F, 0.0F};
  FiberTeam team(6, false);
  for (const float position : {0.0F, 1.9F, 2.0F, 2.9F, 3.0F, 4.0F}) {
    std::vector<int> holds(6);
    team.run([&](std::uint32_t lane) {
      const FiberLanes lanes = {&team, lane};
      const device::RunningSum sum = lanes.running_sum(values[lane]);
      holds[lane] = device::holds_position(position, values[lane], sum, lanes) ? 1 : 0;
    });
    const std::vector<int> first = {0, 1, 0, 0, 0, 0};
    const std::vector<int> second = {0, 0, 0, 0, 1, 0};
    EXPECT_EQ(holds, position < 2.0F ? first : second) << position;
  }
}

TEST(FiberTeam, SaysSoWhenALaneWaitsForOneThatIsDone) {
  FiberTeam team(2, false);
  EXPECT_THROW(team.run([&](std::uint32_t lane) {
    if (lane == 0) FiberLanes{&team, lane}.sync();
  }),
               std::logic_error);
}

struct Case {
  const char* name;
  Method method;
  SelectorKind select = SelectorKind::kAuto;
  NoiseKind noise = NoiseKind::kAuto;
  OptimizerKind optimizer = OptimizerKind::kSgd;
  bool sparse = false;
  bool bag = false;
};

class DeviceLanes : public ::testing::TestWithParam<Case> {};

TEST_P(DeviceLanes, AnyNumberInAnyOrderLearnsTheSame) {
  const Case& row = GetParam();
  SmallDataOptions options;
  options.classes = 150;  // several tiles of a proposal
  options.examples = 30;
  options.dimension = 9;
  options.sparse = row.sparse;
  const SmallData data(options);
  TrainConfig config;
  config.method = row.method;
  config.noise = row.noise;
  config.optimizer = row.optimizer;
  if (row_of(row.method).has_noises()) config.noises = 3;
  if (row.method == Method::kCane) {
    config.select = row.select;
    config.scorer = ScorerKind::kFlat;
    config.candidates = 4;
    config.rank = 5;
  }
  if (row.method == Method::kHsm || row.select == SelectorKind::kTree) config.arity = 5;
  if (row.bag) {
    config.encoder = EncoderKind::kBag;
    config.dim = 7;
  }
  config.batch = 8;
  config.lr = 0.1F;
  config.l2 = 0.01F;
  config.clip = 2.0F;
  Training run(data, config, 150);
  run.start();
  SmallSpec small(run);
  small.spec.kept_examples = run.view.size();
  const PlainData plain(run.view);
  small.spec.kept_values = plain.values.size();

  const auto learn = [&](device::Learner& learner) {
    learner.keep_data(plain.rows());
    small.upload(run.state, learner);
    std::vector<std::uint32_t> examples(8);
    for (std::uint32_t step = 0; step < 3; ++step) {
      std::iota(examples.begin(), examples.end(), 8 * step);
      learner.step(std::span(examples).first(step == 2 ? 5 : 8), {0.1F, 0});
    }
    std::vector<float> all;
    for (const Table table : small.tables()) {
      std::vector<float> values(device::shape_of(small.spec, table).size());
      learner.download(table, values);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  };
  const auto expected = learn(*device::make_host_learner(small.spec));
  for (const std::uint32_t lanes : {3U, 32U}) {
    for (const bool is_backward : {false, true}) {
      LearnerOn<FiberBackend> learner(small.spec, device::kMaxScores, lanes, is_backward);
      const auto learned = learn(learner);
      ASSERT_EQ(learned.size(), expected.size());
      for (std::size_t i = 0; i < learned.size(); ++i) {
        ASSERT_NEAR(learned[i], expected[i], 1e-4 * (1.0 + std::abs(expected[i])))
            << i << " with " << lanes << " lanes";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Methods, DeviceLanes,
    ::testing::Values(Case{"softmax", Method::kSoftmax},
                      Case{.name = "softmax_bag",
                           .method = Method::kSoftmax,
                           .optimizer = OptimizerKind::kAdagrad,
                           .sparse = true,
                           .bag = true},
                      Case{.name = "nce_sparse",
                           .method = Method::kNce,
                           .optimizer = OptimizerKind::kAdagrad,
                           .sparse = true},
                      Case{.name = "blackout", .method = Method::kBlackout},
                      Case{.name = "hsm", .method = Method::kHsm, .sparse = true},
                      Case{"narrow", Method::kCane, SelectorKind::kNarrow, NoiseKind::kProposal},
                      Case{"tree", Method::kCane, SelectorKind::kTree, NoiseKind::kProposal},
                      Case{.name = "tree_unigram",
                           .method = Method::kCane,
                           .select = SelectorKind::kTree,
                           .noise = NoiseKind::kUnigram,
                           .sparse = true}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace CANE_THIS_FILE
}  // namespace cane
