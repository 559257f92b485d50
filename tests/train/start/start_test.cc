// Labels: threads
#include "train/start/start.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "cane/names.h"
#include "data/rows/row_gather.h"
#include "search/proposal.h"
#include "support/small_data.h"
#include "support/training.h"
#include "train/start/proposal_start.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::SmallData;
using testing::SmallDataOptions;
using testing::Training;

TrainConfig config_of(SelectorKind select, StartKind start = StartKind::kMeans) {
  TrainConfig config;
  config.method = Method::kCane;
  config.select = select;
  config.start = start;
  config.arity = 4;
  config.rank = 6;
  config.lr = 0.1F;
  config.threads = 1;
  config.reuse = 1;
  return config;
}

// Mean of -log p'(label | x) over all examples.
double proposal_loss(Training& run) {
  std::vector<std::uint32_t> examples(run.view.size());
  std::iota(examples.begin(), examples.end(), 0U);
  RowGather gather;
  const auto rows = gather.gather(run.view, std::span<const std::uint32_t>(examples),
                                  run.method.scorer->any().prefers_dense_rows());
  const auto proposal = run.method.proposal->make_proposal_worker();
  Selection selection;
  proposal->select(rows, {CounterRandom(1, RandomPurpose::kNoise), examples}, 10, 5, selection);
  GradientParts projection(run.model.tables[kProjectionTable].layout);
  GradientParts classes(run.model.tables[proposal_table(run.model.config)].layout);
  double loss = 0.0;
  for (std::uint32_t e = 0; e < examples.size(); ++e) {
    loss += static_cast<double>(
        proposal->learn(e, run.view.label(e), 1.0F, classes, projection.add_part(e, 0)));
  }
  return loss / static_cast<double>(examples.size());
}

// Where the features say nothing the class means are scaled to nearly nothing, and steps were
// without bound.
TEST(Start, AProposalOfMeansThatSayNothingHasBoundedSteps) {
  for (const double means : {1.0, 1e-9, 0.0}) {
    for (const bool in_tree : {false, true}) {
      const ProposalBalance balance({.features = 4.0, .examples = 4.0, .means = means}, 1e-6F,
                                    in_tree);
      EXPECT_GT(balance.factor, 0.3F);
      EXPECT_LE(balance.class_step, 4.0F);
      EXPECT_LE(balance.projection_step, 0.5F);
    }
  }
}

TEST(Start, AProposalBeginsFarBetterThanABlindGuess) {
  for (const bool sparse : {false, true}) {
    SmallDataOptions options;
    options.sparse = sparse;
    const SmallData data(options);
    for (const SelectorKind select : {SelectorKind::kNarrow, SelectorKind::kTree}) {
      for (const StartKind start : {StartKind::kZero, StartKind::kMeans}) {
        Training run(data, config_of(select, start));
        const StartReport report = start_weights(run.view, run.model, run.pool, run.state);
        EXPECT_GT(report.proposal_scale, 0.0F);
        EXPECT_EQ(report.class_scale > 0.0F, start == StartKind::kMeans);
        for (const float weight : run.weights()) ASSERT_TRUE(std::isfinite(weight));
        for (const float scale : run.state.rate_scales) {
          ASSERT_TRUE(std::isfinite(scale) && scale > 0.0F);
        }
        // Half of the features of the sparse data are missing: its classes are less far apart.
        EXPECT_LT(proposal_loss(run), (sparse ? 0.7 : 0.4) * std::log(20.0));
      }
    }
  }
}

TEST(Start, OnlyTheProposalMovesWhereTheClassesBeginAtZero) {
  const SmallData data({});
  Training run(data, config_of(SelectorKind::kNarrow, StartKind::kZero));
  run.start();
  const auto moved = [&](std::size_t table) {
    const auto weights = run.state.weights[table].span();
    return std::any_of(weights.begin(), weights.end(), [](float w) { return w != 0.0F; });
  };
  EXPECT_FALSE(moved(kClassTable));
  EXPECT_TRUE(moved(kProjectionTable));
  EXPECT_TRUE(moved(proposal_table(run.model.config)));
}

TEST(Start, ClassesBeginAsTheNearestCentre) {
  const SmallData data({});
  for (const SelectorKind select :
       {SelectorKind::kBeam, SelectorKind::kExact, SelectorKind::kNarrow}) {
    Training run(data, config_of(select));
    run.start();
    EXPECT_GT(run.accuracy(), 0.95) << name_of(select);
  }
}

TEST(Start, IsNotDeceivedByMeansOfAFewExamples) {
  SmallDataOptions options;
  options.classes = 100;
  options.examples = 200;
  options.dimension = 200;
  options.noise = 20.0F;  // two examples of a class have next to nothing in common
  const SmallData data(options);
  Training run(data, config_of(SelectorKind::kExact), options.classes);
  const StartReport report = start_weights(run.view, run.model, run.pool, run.state);
  EXPECT_GT(report.loss_share, 0.9);
}

TEST(Start, TakesDataThatTellsNothing) {
  SmallDataOptions options;
  options.examples = 30;
  options.noise = 0.0F;
  options.classes = 2;
  options.dimension = 1;
  const SmallData data(options);
  for (const SelectorKind select :
       {SelectorKind::kBeam, SelectorKind::kNarrow, SelectorKind::kTree}) {
    // Most classes have no example, and the means no more than one direction.
    Training run(data, config_of(select));
    run.start();
    for (const float weight : run.weights()) ASSERT_TRUE(std::isfinite(weight));
    run.run_all();
  }
}

TEST(StartThreads, IsTheSameForAnyNumberOfThreads) {
  const SmallData data({});
  for (const SelectorKind select :
       {SelectorKind::kBeam, SelectorKind::kNarrow, SelectorKind::kTree}) {
    TrainConfig config = config_of(select);
    Training one(data, config);
    one.start();
    config.threads = 3;
    Training three(data, config);
    three.start();
    EXPECT_EQ(one.weights(), three.weights());
    EXPECT_EQ(one.state.rate_scales, three.state.rate_scales);
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
