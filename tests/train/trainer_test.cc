// Labels: threads
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/error_text.h"
#include "support/plain_cane.h"
#include "support/small_data.h"
#include "support/training.h"
#include "train/shuffle.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::SmallData;
using testing::SmallDataOptions;
using testing::Training;

TrainConfig small_config() {
  TrainConfig config;
  config.method = Method::kCane;
  config.select = SelectorKind::kBeam;
  config.arity = 4;
  config.candidates = 5;
  config.noises = 2;
  config.epochs = 3;
  config.lr = 0.1F;
  config.batch = 16;
  config.threads = 1;
  config.deterministic = true;
  return config;
}

TEST(Trainer, WithABatchOfOneItEqualsThePlainAlgorithm) {
  for (const bool sparse : {false, true}) {
    SmallDataOptions options;
    options.sparse = sparse;
    const SmallData data(options);
    TrainConfig config = small_config();
    config.batch = 1;
    config.epochs = 1;
    config.schedule = Schedule::kConstant;
    Training run(data, config);
    run.run_all();

    testing::PlainCane plain(run.model.tree, options.dimension);
    std::vector<std::uint32_t> order(options.examples);
    shuffle_examples(config.seed, 0, order);
    const CounterRandom random(config.seed, RandomPurpose::kNoise, 0);
    std::vector<float> scratch(options.dimension);
    for (const std::uint32_t e : order) {
      plain.learn(run.view.row(e, scratch), run.view.label(e), config.candidates, config.noises,
                  config.lr, random, e);
    }
    float longest_difference = 0.0F;
    float largest_weight = 0.0F;
    for (NodeId node = 1; node < run.model.tree.node_count(); ++node) {
      const NodeId parent = run.model.tree.parent(node);
      const float* edge = run.state.weights[0].data() + run.layout().offset(parent) +
                          (node - run.model.tree.first_child(parent));
      for (std::size_t i = 0; i <= options.dimension; ++i) {
        const float weight = edge[i * run.layout().shape(parent).stride];
        longest_difference = std::max(longest_difference, std::abs(weight - plain.edge(node)[i]));
        largest_weight = std::max(largest_weight, std::abs(weight));
      }
    }
    EXPECT_GT(largest_weight, 0.1F);
    EXPECT_LT(longest_difference, 1e-3F);
  }
}

TEST(TrainerThreads, DeterministicModeGivesTheSameBitsForAnyNumberOfThreads) {
  for (const OptimizerKind optimizer : {OptimizerKind::kSgd, OptimizerKind::kAdagrad}) {
    SmallDataOptions options;
    options.sparse = optimizer == OptimizerKind::kAdagrad;
    const SmallData data(options);
    TrainConfig config = small_config();
    config.optimizer = optimizer;
    config.batch = 50;
    Training one(data, config);
    one.run_all();
    for (const int threads : {2, 4, 8}) {
      config.threads = threads;
      Training several(data, config);
      several.run_all();
      EXPECT_EQ(one.weights(), several.weights()) << threads << " threads";
    }
    config.seed = 2;
    Training other_seed(data, config);
    other_seed.run_all();
    EXPECT_NE(one.weights(), other_seed.weights());
  }
}

TEST(TrainerThreads, ThreadsThatShareTheWeightsLearn) {
  const SmallData data({});
  TrainConfig config = small_config();
  config.deterministic = false;
  config.threads = 4;
  config.epochs = 10;
  Training run(data, config);
  run.run_all();
  EXPECT_LT(run.last_loss, 0.5);
}

TEST(TrainerThreads, StopsAfterWholeBatchesAndGoesOnWhereItStopped) {
  const SmallData data({});
  for (const bool deterministic : {true, false}) {
    TrainConfig config = small_config();
    config.deterministic = deterministic;
    config.threads = deterministic ? 2 : 1;
    Training whole(data, config);
    whole.run_all();
    Training stopped(data, config);
    int batches = 0;
    EXPECT_FALSE(stopped.trainer.run_epoch([&] { return ++batches < 7; }));
    EXPECT_EQ(stopped.state.next_batch, 7U);
    stopped.run_all();
    EXPECT_EQ(whole.weights(), stopped.weights());
  }
}

TEST(Trainer, CountsEveryExampleOnce) {
  const SmallData data({});
  Training run(data, small_config());
  run.trainer.run_epoch([] { return true; });
  EXPECT_EQ(run.state.totals.examples, 400U);
  EXPECT_EQ(run.state.totals.weight, 400.0);
  EXPECT_GT(run.state.totals.rows_scored, 400U * 4U);
}

TEST(Trainer, AnExampleOfWeightZeroTeachesNothing) {
  SmallData data({});
  data.set_weights(std::vector<float>(400, 0.0F));
  Training run(data, small_config());
  run.trainer.run_epoch([] { return true; });
  for (const float weight : run.weights()) ASSERT_EQ(weight, 0.0F);
}

TEST(Trainer, AWeightOfTwoIsAStepOfTwiceTheLength) {
  SmallDataOptions options;
  options.examples = 1;
  TrainConfig config = small_config();
  config.epochs = 1;
  SmallData single(options);
  Training once(single, config);
  once.run_all();
  single.set_weights({2.0F});
  Training twice(single, config);
  twice.run_all();
  for (std::size_t i = 0; i < once.weights().size(); ++i) {
    ASSERT_FLOAT_EQ(twice.weights()[i], 2.0F * once.weights()[i]);
  }
}

TEST(Trainer, ClipsTheGradientOfAnExample) {
  SmallDataOptions options;
  options.examples = 1;
  const SmallData data(options);
  TrainConfig config = small_config();
  config.epochs = 1;
  config.lr = 1.0F;
  config.arity = 32;  // one block, so that the step's length is that of the gradient
  config.clip = 0.01F;
  Training run(data, config);
  run.run_all();
  double squares = 0.0;
  for (const float weight : run.weights()) {
    squares += static_cast<double>(weight) * static_cast<double>(weight);
  }
  EXPECT_NEAR(std::sqrt(squares), 0.01, 1e-5);
}

TEST(Trainer, DecayShrinksTheWeights) {
  const SmallData data({});
  TrainConfig config = small_config();
  Training free(data, config);
  free.run_all();
  config.l2 = 0.5F;
  Training decayed(data, config);
  decayed.run_all();
  const auto length = [](const std::vector<float>& weights) {
    double squares = 0.0;
    for (const float weight : weights) squares += static_cast<double>(weight) * weight;
    return squares;
  };
  EXPECT_LT(length(decayed.weights()), 0.8 * length(free.weights()));
  EXPECT_GT(length(decayed.weights()), 0.0);
}

TEST(Trainer, ReportsANonFiniteLoss) {
  SmallData data({});
  data.set_weights(std::vector<float>(400, 1e30F));
  TrainConfig config = small_config();
  config.lr = 1e30F;
  Training run(data, config);
  const std::string message = testing::error_text([&] { run.run_all(); });
  EXPECT_THAT(message, ::testing::HasSubstr("no longer a number"));
  EXPECT_THAT(message, ::testing::HasSubstr("`lr`"));
}

TEST(Trainer, ReportsAnExplodingLoss) {
  SmallDataOptions options;
  options.examples = 2000;
  const SmallData data(options);
  TrainConfig config = small_config();
  config.lr = 1e5F;
  Training run(data, config);
  const std::string message = testing::error_text([&] { run.run_all(); });
  EXPECT_THAT(message, ::testing::HasSubstr("exploded"));
}

TEST(ShuffleExamples, IsAPermutationThatDependsOnSeedAndEpochOnly) {
  std::vector<std::uint32_t> order(1000);
  shuffle_examples(3, 1, order);
  std::vector<std::uint32_t> again(1000);
  shuffle_examples(3, 1, again);
  EXPECT_EQ(order, again);
  shuffle_examples(3, 2, again);
  EXPECT_NE(order, again);
  std::sort(order.begin(), order.end());
  for (std::uint32_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], i);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
