// Ranks that share the classes train what one process trains: the same bits on any number of ranks
// and threads, and but for the order of sums those of a team that has all classes.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/class_training.h"
#include "support/thread_ranks.h"

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
  data.examples = 900;
  data.sparse = sparse;
  data.dimension = 20;
  return data;
}

// All weights after a training on so many ranks, whose tables are added up: a zero has no sign.
std::vector<float> trained(const SmallData& data, const TrainConfig& config, int ranks,
                           double* loss = nullptr) {
  std::vector<float> weights;
  run_ranks(ranks, [&](Communicator& all) {
    ClassTraining training(data, config, kClasses, all);
    training.start();
    training.run_all();
    const WeightTables whole = training.whole();
    if (!all.is_first()) return;
    if (loss != nullptr) *loss = training.last_loss;
    for (const auto& table : whole) {
      weights.insert(weights.end(), table.data(), table.data() + table.size());
    }
  });
  return weights;
}

struct Case {
  const char* name;
  bool sparse;
  Method method;
  SelectorKind select;
  EncoderKind encoder;
  OptimizerKind optimizer;

  TrainConfig config() const {
    TrainConfig config;
    config.epochs = 2;
    config.threads = 1;
    config.lr = 0.05F;
    config.batch = 50;
    config.clip = 1.0F;
    config.l2 = 1e-4F;
    config.method = method;
    config.select = select;
    config.encoder = encoder;
    config.optimizer = optimizer;
    if (encoder != EncoderKind::kIdentity) config.dim = 12;
    if (method == Method::kCane) config.noises = 150;
    if (select == SelectorKind::kFrequent) config.candidates = 100;
    return config;
  }
};

class ClassTrainingCases : public ::testing::TestWithParam<Case> {};

TEST_P(ClassTrainingCases, GivesTheSameBitsOnAnyNumberOfRanksAndThreads) {
  const SmallData data(options(GetParam().sparse));
  TrainConfig config = GetParam().config();
  const std::vector<float> alone = trained(data, config, 1);
  for (const int ranks : {2, 3, 4, 8}) {
    EXPECT_TRUE(trained(data, config, ranks) == alone) << ranks << " ranks";
  }
  config.threads = 2;
  EXPECT_TRUE(trained(data, config, 1) == alone) << "two threads";
  EXPECT_TRUE(trained(data, config, 4) == alone) << "four ranks of two threads";
}

// The lists, draws and steps are those of a team without ranks; sums are taken in another order.
TEST_P(ClassTrainingCases, EqualsATeamThatHasAllClasses) {
  const SmallData data(options(GetParam().sparse));
  TrainConfig config = GetParam().config();
  config.whiten = WhitenKind::kOff;  // as where classes are shared
  Training ordinary(data, config, kClasses);
  ordinary.start();
  ordinary.run_all();
  double loss = 0.0;
  const std::vector<float> shared = trained(data, config, 3, &loss);
  EXPECT_NEAR(loss, ordinary.last_loss, 1e-5 * ordinary.last_loss + 1e-7);
  const std::vector<float> expected = ordinary.weights();
  ASSERT_EQ(shared.size(), expected.size());
  double squares = 0.0;
  double differences = 0.0;
  for (std::size_t i = 0; i < shared.size(); ++i) {
    squares += std::pow(static_cast<double>(expected[i]), 2.0);
    differences += std::pow(static_cast<double>(shared[i] - expected[i]), 2.0);
  }
  EXPECT_GT(squares, 1.0);
  EXPECT_LT(std::sqrt(differences / squares), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(
    All, ClassTrainingCases,
    ::testing::Values(Case{"Softmax", false, Method::kSoftmax, SelectorKind::kAuto,
                           EncoderKind::kIdentity, OptimizerKind::kSgd},
                      Case{"NoneDense", false, Method::kCane, SelectorKind::kNone,
                           EncoderKind::kIdentity, OptimizerKind::kSgd},
                      Case{"FrequentSparse", true, Method::kCane, SelectorKind::kFrequent,
                           EncoderKind::kIdentity, OptimizerKind::kAdagrad},
                      Case{"BatchBag", true, Method::kCane, SelectorKind::kBatch, EncoderKind::kBag,
                           OptimizerKind::kAuto},
                      Case{"NoneMlp", false, Method::kCane, SelectorKind::kNone, EncoderKind::kMlp,
                           OptimizerKind::kAuto}),
    [](const auto& parameter) { return parameter.param.name; });

TEST(ClassTraining, RanksWithoutClassesTrainAlong) {
  SmallDataOptions few;
  few.classes = 90;  // two blocks
  few.examples = 300;
  few.dimension = 20;
  const SmallData data(few);
  TrainConfig config;
  config.epochs = 1;
  config.threads = 1;
  config.method = Method::kCane;
  config.select = SelectorKind::kNone;
  config.noises = 40;
  run_ranks(5, [&](Communicator& all) {
    ClassTraining training(data, config, few.classes, all);
    training.start();
    training.run_all();
    EXPECT_TRUE(std::isfinite(training.last_loss));
  });
}

TEST(ClassTraining, ARankHoldsNoMoreThanItsShare) {
  const SmallData data(options(false));
  constexpr int kRanks = 8;
  run_ranks(kRanks, [&](Communicator& all) {
    const ClassTraining training(
        data,
        Case{"", false, Method::kCane, SelectorKind::kNone, EncoderKind::kMlp, OptimizerKind::kSgd}
            .config(),
        kClasses, all);
    const std::size_t whole = training.model.tables[kClassTable].layout.size();
    // A block of classes more or less.
    EXPECT_LT(training.state.weights[kClassTable].size(),
              whole / kRanks + ClassShards::kBlock * (whole / kClasses + 1));
  });
}

// Bytes that a rank sends to each other one for an example: the formula of docs/cluster.md.
TEST(ClassTraining, SendsWhatTheFormulaSays) {
  constexpr int kRanks = 4;
  const SmallData data(options(true));
  for (const EncoderKind encoder : {EncoderKind::kIdentity, EncoderKind::kBag}) {
    TrainConfig config =
        Case{"", true, Method::kCane, SelectorKind::kNone, encoder, OptimizerKind::kAuto}.config();
    config.epochs = 1;
    config.batch = 48;
    run_ranks(kRanks, [&](Communicator& all) {
      ClassTraining training(data, config, kClasses, all);
      training.start();
      const std::uint64_t before = all.bytes_sent();
      training.run_all();
      const auto sent = static_cast<double>(all.bytes_sent() - before);
      const double units = has_encoder(config) ? config.dim : 0.0;
      const double expected = (kRanks - 1) * (12.0 * 8 / kRanks + 16.0 + 4.0 * units);
      // Rows of units are padded, and the last batch is smaller.
      EXPECT_NEAR(sent / 900.0, expected, 0.25 * expected);
    });
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
