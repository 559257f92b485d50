#include "train/classes/class_trainer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
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

SmallDataOptions options(bool sparse) {
  SmallDataOptions data;
  data.classes = kClasses;
  data.examples = 1500;
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

class ClassTrainerCases : public ::testing::TestWithParam<Case> {};

TEST_P(ClassTrainerCases, GivesTheSameBitsOnAnyNumberOfRanksAndThreads) {
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
    All, ClassTrainerCases,
    ::testing::Values(Case{"Dense", false, EncoderKind::kIdentity, OptimizerKind::kSgd},
                      Case{"Sparse", true, EncoderKind::kIdentity, OptimizerKind::kAdagrad},
                      Case{"Bag", true, EncoderKind::kBag, OptimizerKind::kAuto},
                      Case{"Mlp", false, EncoderKind::kMlp, OptimizerKind::kAuto}),
    [](const auto& parameter) { return parameter.param.name; });

TEST(ClassTrainer, LearnsAsWellAsOneProcess) {
  const SmallData data(options(false));
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

TEST(ClassTrainer, ARankHoldsNoMoreThanItsShare) {
  const SmallData data(options(false));
  constexpr int kRanks = 8;
  run_ranks(kRanks, [&](Communicator& all) {
    const ClassTraining training(data, small_config(), kClasses, all);
    std::size_t whole = 0;
    for (const std::size_t table : {kClassTable, proposal_table(training.model.config)}) {
      whole += training.model.tables[table].layout.size();
    }
    std::size_t own = 0;
    for (const TrainState& shard : training.state.shards) {
      for (const auto& weights : shard.weights) own += weights.size();
    }
    // A block of classes more or less.
    EXPECT_LT(own, whole / kRanks + ClassShards::kBlock * (whole / kClasses + 1));
    EXPECT_EQ(training.state.common.weights.size(), 1U);
  });
}

class CountedTransport final : public Transport {
 public:
  CountedTransport(std::unique_ptr<Transport> inner, std::uint64_t& bytes)
      : inner_(std::move(inner)), bytes_(bytes) {}

  int rank() const override { return inner_->rank(); }
  int ranks() const override { return inner_->ranks(); }
  std::string host() const override { return inner_->host(); }
  void send(int to, Channel channel, Bytes bytes) override {
    bytes_ += bytes.size();
    inner_->send(to, channel, std::move(bytes));
  }
  std::optional<Bytes> try_receive(int from, Channel channel) override {
    return inner_->try_receive(from, channel);
  }
  bool has_sent_all() override { return inner_->has_sent_all(); }
  void close() override { inner_->close(); }
  void abort() noexcept override { inner_->abort(); }

 private:
  std::unique_ptr<Transport> inner_;
  std::uint64_t& bytes_;
};

// Bytes that a rank sends to each other one for an example: the formula of docs/cluster.md.
double traffic_of(const TrainConfig& config, std::uint32_t shards, int ranks) {
  const ShardWidths widths(config.beam, config.candidates, shards);
  const double lists = static_cast<double>(shards) / ranks *
                       static_cast<double>(sizeof(ShardHead) + widths.keep * sizeof(ListedClass));
  const double noises = static_cast<double>(config.noises * sizeof(ListedClass)) / ranks;
  return lists + noises + sizeof(float) * config.rank / 4.0;
}

TEST(ClassTrainer, SendsWhatTheFormulaSays) {
  constexpr int kRanks = 4;
  const SmallData data(options(true));
  TrainConfig config = small_config();
  config.epochs = 1;
  config.batch = 16;
  ThreadRanks threads(kRanks);
  std::vector<std::thread> ranks;
  std::vector<std::uint64_t> sent(kRanks, 0);
  double expected = 0.0;
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks.emplace_back([&, rank] {
      std::uint64_t& bytes = sent[static_cast<std::size_t>(rank)];
      Communicator all(std::make_unique<CountedTransport>(threads.transport(rank), bytes));
      ClassTraining training(data, config, kClasses, all);
      training.start();
      bytes = 0;
      training.run_all();
      if (rank == 0) expected = (kRanks - 1) * traffic_of(training.model.config, 8, kRanks);
    });
  }
  for (std::thread& rank : ranks) rank.join();
  const double examples = 1500.0;
  for (const std::uint64_t bytes : sent) {
    EXPECT_NEAR(static_cast<double>(bytes) / examples, expected, 0.05 * expected);
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
