// Labels: threads
// Trainings that ranks share: with `deterministic` the bits of one process, otherwise as accurate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "cane/train.h"
#include "model/model_file.h"
#include "support/error_text.h"
#include "support/small_dataset.h"
#include "support/stop_after.h"
#include "support/temporary_folder.h"
#include "support/thread_ranks.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::SmallDataOptions;
using testing::StopAfter;

SmallDataOptions learnable(bool dense) {
  SmallDataOptions options;
  options.examples = 300;
  options.classes = 70;
  options.sparse = !dense;
  return options;
}

/// The models of all ranks, as the bytes of their files.
std::vector<std::string> train_on(int ranks, const Dataset& data, const TrainConfig& config,
                                  int stop_after = -1) {
  std::vector<std::string> models(static_cast<std::size_t>(ranks));
  std::mutex mutex;
  run_ranks(ranks, [&](Communicator& communicator) {
    TrainObserver patient;
    // The last rank is the one whose user loses patience.
    StopAfter impatient(stop_after);
    const bool stops = stop_after >= 0 && communicator.rank() + 1 == communicator.ranks();
    TrainObserver& observer = stops ? static_cast<TrainObserver&>(impatient) : patient;
    const TrainResult result = train(data, config, {ranks_of(communicator), &observer}, &data);
    EXPECT_EQ(result.interrupted, stop_after >= 0);
    const std::lock_guard lock(mutex);
    ModelData model = result.model.data();
    model.origin.date.clear();  // a second may have passed between two ranks
    models[static_cast<std::size_t>(communicator.rank())] = model_bytes(model);
  });
  return models;
}

TrainConfig small_config() {
  TrainConfig config;
  config.epochs = 3;
  config.threads = 1;
  config.batch = 40;
  config.pilot = PilotKind::kOff;
  config.calibrate = false;
  return config;
}

struct Way {
  const char* name;
  Method method;
  SelectorKind select = SelectorKind::kAuto;
  EncoderKind encoder = EncoderKind::kIdentity;
  OptimizerKind optimizer = OptimizerKind::kSgd;
  bool dense = false;
};

void PrintTo(const Way& way, std::ostream* out) {
  *out << way.name;
}

const Way kWays[] = {
    {"narrow", Method::kCane, SelectorKind::kNarrow},
    {"dense", Method::kCane, SelectorKind::kNarrow, EncoderKind::kIdentity, OptimizerKind::kSgd,
     true},
    {"beam", Method::kCane, SelectorKind::kBeam},
    {"tree", Method::kCane, SelectorKind::kTree},
    {"centroid", Method::kCane, SelectorKind::kCentroid, EncoderKind::kIdentity,
     OptimizerKind::kSgd, true},
    {"bag", Method::kCane, SelectorKind::kNarrow, EncoderKind::kBag, OptimizerKind::kAdagrad},
    {"mlp", Method::kCane, SelectorKind::kNarrow, EncoderKind::kMlp, OptimizerKind::kAdagrad},
    {"hsm", Method::kHsm},
    {"nce", Method::kNce},
    {"softmax", Method::kSoftmax},
    {"products", Method::kSoftmax, SelectorKind::kAuto, EncoderKind::kIdentity, OptimizerKind::kSgd,
     true},
};

class RankTraining : public ::testing::TestWithParam<Way> {
 protected:
  RankTraining() {
    const Way& way = GetParam();
    config.method = way.method;
    config.select = way.select;
    config.encoder = way.encoder;
    config.optimizer = way.optimizer;
    if (way.encoder != EncoderKind::kIdentity) config.dim = 16;
  }

  Dataset data = testing::small_dataset(learnable(GetParam().dense));
  TrainConfig config = small_config();
};

TEST_P(RankTraining, DeterministicBitsAreThoseOfOneProcess) {
  config.deterministic = true;
  const std::string alone = model_bytes(train(data, config, nullptr, &data).model.data());
  for (const int ranks : {2, 3, 4}) {
    SCOPED_TRACE(ranks);
    for (const std::string& model : train_on(ranks, data, config)) EXPECT_TRUE(model == alone);
  }
}

TEST_P(RankTraining, AllRanksEndWithTheSameModelAndLearn) {
  // With few examples, those between two exchanges are a large part of all.
  config.epochs = 10;
  config.batch = 4;
  const auto accuracy = [&](const std::string& bytes) {
    const SafetensorsFile file("model", std::as_bytes(std::span(bytes)));
    const Model model(std::make_shared<const ModelData>(read_model(file)));
    return evaluate(model, data).accuracy;
  };
  const double alone = accuracy(model_bytes(train(data, config, nullptr, &data).model.data()));
  const std::vector<std::string> models = train_on(3, data, config);
  EXPECT_TRUE(models[1] == models[0]);
  EXPECT_TRUE(models[2] == models[0]);
  EXPECT_GT(accuracy(models[0]), alone - 0.1);
}

TEST_P(RankTraining, ResumesOnAnotherNumberOfRanks) {
  const testing::TemporaryFolder folder;
  config.deterministic = true;
  config.checkpoint_path = folder.path("checkpoint");
  const std::string undisturbed = train_on(1, data, config)[0];
  train_on(4, data, config, 13);
  config.resume = true;
  for (const int ranks : {3, 1}) {
    SCOPED_TRACE(ranks);
    EXPECT_TRUE(train_on(ranks, data, config)[0] == undisturbed);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, RankTraining, ::testing::ValuesIn(kWays),
                         [](const auto& way) { return std::string(way.param.name); });

TEST(RankTrainingOptions, RefusesWhatRanksCannotShare) {
  const Dataset data = testing::small_dataset(learnable(false));
  TrainConfig config = small_config();
  config.method = Method::kLomTree;
  EXPECT_THAT(testing::error_text([&] { train_on(2, data, config); }),
              ::testing::HasSubstr("changes its tree with every example"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
