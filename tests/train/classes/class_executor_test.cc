#include "train/classes/class_executor.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "support/class_training.h"
#include "support/thread_ranks.h"
#include "train/classes/shard_message.h"
#include "train/classes/shard_slice.h"

// Labels: threads

namespace cane {
namespace CANE_THIS_FILE {

using testing::ClassTraining;
using testing::SmallData;
using testing::SmallDataOptions;
using testing::Training;

constexpr std::uint32_t kClasses = 700;

SmallDataOptions options(bool sparse, std::uint32_t examples = 300) {
  SmallDataOptions data;
  data.classes = kClasses;
  data.examples = examples;
  data.sparse = sparse;
  data.dimension = 20;
  return data;
}

TrainConfig small_config() {
  TrainConfig config;
  config.epochs = 2;
  config.threads = 1;
  config.batch = 20;  // two slices, and a part of one
  config.lr = 0.05F;
  return config;
}

// The bits of all weights after a training on so many ranks.
std::vector<std::uint32_t> trained(const SmallData& data, const TrainConfig& config, int ranks) {
  std::vector<std::uint32_t> bits;
  run_ranks(ranks, [&](Communicator& all) {
    ClassTraining training(data, config, kClasses, all);
    training.start();
    training.run_all();
    const WeightTables whole = training.whole();
    if (!all.is_first()) return;
    for (const auto& table : whole) {
      const std::size_t before = bits.size();
      bits.resize(before + table.size());
      std::memcpy(bits.data() + before, table.data(), table.size() * sizeof(float));
    }
  });
  return bits;
}

struct Case {
  const char* name;
  bool sparse;
  EncoderKind encoder;
  OptimizerKind optimizer;
};

class ClassExecutorCases : public ::testing::TestWithParam<Case> {};

TEST_P(ClassExecutorCases, GivesTheSameBitsOnAnyNumberOfRanksAndThreads) {
  const SmallData data(options(GetParam().sparse));
  TrainConfig config = small_config();
  config.encoder = GetParam().encoder;
  if (config.encoder != EncoderKind::kIdentity) config.dim = 12;
  config.optimizer = GetParam().optimizer;
  const std::vector<std::uint32_t> alone = trained(data, config, 1);
  for (const int ranks : {2, 3, 8}) {
    EXPECT_TRUE(trained(data, config, ranks) == alone) << ranks << " ranks";
  }
  config.threads = 2;
  EXPECT_TRUE(trained(data, config, 1) == alone) << "two threads";
  EXPECT_TRUE(trained(data, config, 4) == alone) << "four ranks of two threads";
}

INSTANTIATE_TEST_SUITE_P(
    All, ClassExecutorCases,
    ::testing::Values(Case{"Dense", false, EncoderKind::kIdentity, OptimizerKind::kSgd},
                      Case{"Sparse", true, EncoderKind::kIdentity, OptimizerKind::kAdagrad},
                      Case{"Bag", true, EncoderKind::kBag, OptimizerKind::kAuto},
                      Case{"Mlp", false, EncoderKind::kMlp, OptimizerKind::kAuto}),
    [](const auto& parameter) { return parameter.param.name; });

TEST(ClassExecutor, LearnsAsWellAsOneProcess) {
  const SmallData data(options(false, 1500));
  TrainConfig config = small_config();
  config.epochs = 5;
  Training ordinary(data, ClassTraining::with_selector(config), kClasses);
  ordinary.start();
  ordinary.run_all();
  const double expected = ordinary.accuracy();
  run_ranks(4, [&](Communicator& all) {
    ClassTraining training(data, config, kClasses, all);
    training.start();
    training.run_all();
    const WeightTables whole = training.whole();
    const double accuracy =
        evaluate(make_predictor(training.model, views_of(whole)), training.view,
                 training.model.class_counts, search_widths(training.model, 0), {}, training.pool)
            .accuracy;
    EXPECT_NEAR(accuracy, expected, 0.02);
    EXPECT_NEAR(training.last_loss, ordinary.last_loss, 0.1 * ordinary.last_loss);
  });
}

TEST(ClassExecutor, ARankHoldsNoMoreThanItsShare) {
  const SmallData data(options(false));
  constexpr int kRanks = 8;
  run_ranks(kRanks, [&](Communicator& all) {
    const ClassTraining training(data, small_config(), kClasses, all);
    std::size_t whole = 0;
    for (const std::size_t table : {kClassTable, proposal_table(training.model.config)}) {
      whole += training.model.tables[table].layout.size();
    }
    std::size_t own = 0;
    for (std::size_t table = 0; table < training.tables.projection(); ++table) {
      own += training.state.weights[table].size();
    }
    // A block of classes more or less.
    EXPECT_LT(own, whole / kRanks + ClassShards::kBlock * (whole / kClasses + 1));
    EXPECT_EQ(training.state.weights.size(), training.tables.projection() + 1);
  });
}

// Bytes that a rank sends to each other one for an example: the formula of docs/cluster.md.
double traffic_of(const TrainConfig& config, std::uint32_t shards, int ranks) {
  const ShardWidths widths(config.beam, config.candidates, shards);
  const double lists = static_cast<double>(shards) / ranks *
                       static_cast<double>(sizeof(ShardHead) + widths.keep * sizeof(ListedClass));
  const double noises = static_cast<double>(config.noises * sizeof(ListedClass)) / ranks;
  return lists + noises + sizeof(float) * config.rank / 4.0;
}

TEST(ClassExecutor, SendsWhatTheFormulaSays) {
  constexpr int kRanks = 4;
  const SmallData data(options(true, 480));
  TrainConfig config = small_config();
  config.epochs = 1;
  config.batch = 16;
  run_ranks(kRanks, [&](Communicator& all) {
    ClassTraining training(data, config, kClasses, all);
    training.start();
    const std::uint64_t before = all.bytes_sent();
    training.run_all();
    const auto sent = static_cast<double>(all.bytes_sent() - before);
    const double expected = (kRanks - 1) * traffic_of(training.model.config, 8, kRanks);
    EXPECT_NEAR(sent / 480.0, expected, 0.05 * expected);
  });
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
