#include "engine/training.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cane/error.h"
#include "cane/predict.h"
#include "cane/train.h"
#include "core/file/safetensors.h"
#include "data/loaded_data.h"
#include "model/model_data.h"
#include "support/small_dataset.h"
#include "support/temporary_folder.h"
#include "support/thread_ranks.h"
#include "train/checkpoint/checkpoint.h"

// Labels: threads

namespace cane {
namespace CANE_THIS_FILE {

using testing::small_dataset;
using testing::SmallDataOptions;
using testing::TemporaryFolder;

constexpr std::uint32_t kClasses = 600;

Dataset examples(std::uint64_t seed = 1, bool sparse = false, std::uint32_t count = 500) {
  SmallDataOptions options;
  options.classes = kClasses;
  options.examples = count;
  options.dimension = 16;
  options.sparse = sparse;
  options.seed = seed;
  return small_dataset(options);
}

TrainConfig short_config() {
  TrainConfig config;
  config.epochs = 3;
  config.batch = 20;
  config.threads = 1;
  config.checkpoint_every = 0;
  return config;
}

struct Trained {
  std::vector<float> weights;  // of all tables
  std::uint32_t epochs = 0;
  bool interrupted = false;
  std::optional<Model> model;
  std::vector<EpochReport> reports;
};

class Listener final : public TrainObserver {
 public:
  explicit Listener(std::uint64_t batches) : batches_(batches) {}
  bool stop_requested() override { return batches_ > 0 && ++asked_ >= batches_; }
  void on_epoch(const EpochReport& report) override { reports.push_back(report); }
  std::vector<EpochReport> reports;

 private:
  std::uint64_t batches_;  // after which to stop; 0: never
  std::uint64_t asked_ = 0;
};

/// What the first rank gets. `stop_after`: batches after which the last rank requests a stop; 0:
/// never.
Trained train_on(int count, const Dataset& data, const TrainConfig& config,
                 const Dataset* validation = nullptr, std::uint64_t stop_after = 0) {
  Trained trained;
  run_ranks(count, [&](Communicator& ranks) {
    Listener listener(ranks.rank() + 1 == count ? stop_after : 0);
    TrainResult result = train_by_classes(data, validation, config, {ranks_of(ranks), &listener});
    if (!ranks.is_first()) return;
    trained.epochs = result.epochs;
    trained.interrupted = result.interrupted;
    const ModelData& model = result.model.data();
    for (std::size_t table = 0; table < model.tables.size(); ++table) {
      const auto weights = float_weights(model, table);
      trained.weights.insert(trained.weights.end(), weights.begin(), weights.end());
    }
    trained.model = std::move(result.model);
    trained.reports = listener.reports;
  });
  return trained;
}

TEST(ClassTraining, AStopOnOneRankStopsAllAndIsTakenUpOnFewer) {
  for (const bool sparse : {false, true}) {
    const TemporaryFolder folder;
    const Dataset data = examples(1, sparse);
    TrainConfig config = short_config();
    if (sparse) {
      config.encoder = EncoderKind::kBag;
      config.dim = 8;
    }
    const Trained undisturbed = train_on(2, data, config);
    config.checkpoint_path = folder.path("checkpoint");
    const Trained first = train_on(4, data, config, nullptr, 7);
    EXPECT_TRUE(first.interrupted);
    EXPECT_EQ(first.epochs, 0U);
    EXPECT_EQ(checkpoint_shards(config.checkpoint_path), 8U);
    config.resume = true;
    const Trained second = train_on(2, data, config, nullptr, 30);
    EXPECT_TRUE(second.interrupted);
    EXPECT_EQ(second.epochs, 1U);
    const Trained last = train_on(1, data, config);
    EXPECT_FALSE(last.interrupted);
    EXPECT_EQ(last.epochs, 3U);
    EXPECT_TRUE(last.weights == undisturbed.weights);
  }
}

TEST(ClassTraining, TheModelPredictsWhatTheValidationSaw) {
  const Dataset data = examples(1, false, 1500);
  const Dataset validation = examples(2);
  TrainConfig config = short_config();
  const Trained trained = train_on(4, data, config, &validation);
  ASSERT_EQ(trained.reports.size(), 3U);
  double best = 0.0;
  for (const EpochReport& report : trained.reports) {
    best = std::max(best, report.validation->accuracy);
  }
  EXPECT_GT(best, 0.3);
  EvaluateOptions options;
  options.probability = Probability::kNone;
  EXPECT_DOUBLE_EQ(evaluate(*trained.model, validation, options).accuracy, best);
}

TEST(ClassTraining, BestWeightsSurviveAPause) {
  const TemporaryFolder folder;
  const Dataset data = examples();
  const Dataset validation = examples(2);
  TrainConfig config = short_config();
  config.lr = 3.0F;  // so that later epochs are not always better
  const Trained undisturbed = train_on(3, data, config, &validation);
  config.checkpoint_path = folder.path("checkpoint");
  EXPECT_TRUE(train_on(8, data, config, &validation, 57).interrupted);
  config.resume = true;
  const Trained resumed = train_on(2, data, config, &validation);
  EXPECT_TRUE(resumed.weights == undisturbed.weights);
}

TEST(ClassTraining, LeavesNoFileBesideTheCheckpoint) {
  const TemporaryFolder folder;
  TrainConfig config = short_config();
  config.epochs = 1;
  config.checkpoint_path = folder.path("checkpoint");
  const Trained trained = train_on(2, examples(), config);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path(""))) {
    names.push_back(entry.path().filename().string());
  }
  EXPECT_EQ(names, std::vector<std::string>{"checkpoint"});
  // The model is still there to be saved.
  trained.model->save(folder.path("model"));
  EXPECT_EQ(Model::load(folder.path("model")).classes(), kClasses);
}

TEST(ClassTraining, RefusesWhatItCannotShare) {
  const Dataset data = examples();
  TrainConfig config = short_config();
  config.method = Method::kHsm;
  EXPECT_THROW(train_by_classes(data, nullptr, config, {}), OptionError);
  for (const SelectorKind select : {SelectorKind::kBeam, SelectorKind::kNarrow}) {
    config = short_config();
    config.select = select;
    try {
      train_by_classes(data, nullptr, config, {});
      FAIL() << "it trains";
    } catch (const OptionError& error) {
      EXPECT_NE(std::string(error.what()).find("`select none"), std::string::npos) << error.what();
    }
  }
  config = short_config();
  config.method = Method::kSoftmax;
  config.optimizer = OptimizerKind::kAdagrad;
  EXPECT_THROW(train_by_classes(data, nullptr, config, {}), OptionError);
  EXPECT_THROW(train_by_classes(examples(1, true), nullptr, config, {}), OptionError);
}

// Classes of a proposal were shared out, too, once. The file is that of one process, with an entry.
TEST(ClassTraining, SaysHowToGoOnFromACheckpointOfAProposal) {
  const TemporaryFolder folder;
  const Dataset data = examples();
  TrainConfig config = short_config();
  config.select = SelectorKind::kNarrow;
  config.checkpoint_path = folder.path("own");
  Listener listener(20);
  EXPECT_TRUE(train(data, config, {{}, &listener}).interrupted);
  {
    const SafetensorsFile own(config.checkpoint_path);
    std::vector<TensorToWrite> tensors;
    for (const auto& [name, tensor] : own.tensors()) {
      tensors.push_back({name, tensor.type, tensor.shape, tensor.bytes});
    }
    auto metadata = own.metadata();
    metadata["cane.shards"] = R"({"count":8})";
    write_safetensors(folder.path("checkpoint"), tensors, metadata);
  }
  config.select = SelectorKind::kAuto;
  config.resume = true;
  config.checkpoint_path = folder.path("checkpoint");
  ASSERT_EQ(checkpoint_shards(config.checkpoint_path), 8U);
  try {
    train_by_classes(data, nullptr, config, {});
    FAIL() << "it goes on";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("resume it with `parallel data`"), std::string::npos)
        << error.what();
  }
  config.parallel = ParallelKind::kData;
  EXPECT_EQ(train(data, config).epochs, 3U);
}

TEST(ClassTraining, RefusesMoreRanksThanShards) {
  const TemporaryFolder folder;
  const Dataset data = examples();
  TrainConfig config = short_config();
  config.checkpoint_path = folder.path("checkpoint");
  train_on(1, data, config, nullptr, 7);
  config.resume = true;
  EXPECT_THROW(train_on(9, data, config), Error);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
