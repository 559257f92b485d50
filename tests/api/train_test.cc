// Labels: threads
#include "cane/train.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "model/model_data.h"
#include "support/error_text.h"
#include "support/stop_after.h"
#include "support/training_files.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_text;
using testing::StopAfter;
using testing::TrainingFiles;

std::vector<float> weights_of(const Model& model) {
  const auto weights = float_weights(model.data(), kClassTable);
  return {weights.begin(), weights.end()};
}

class EpochLog : public TrainObserver {
 public:
  void on_epoch(const EpochReport& report) override { epochs.push_back(report); }
  std::vector<EpochReport> epochs;
};

TEST(TrainThreads, LearnsAndReportsEveryEpoch) {
  const TrainingFiles files;
  const Dataset data = files.train();
  const Dataset test = files.test();
  EpochLog log;
  const TrainResult result = train(data, TrainingFiles::config(), &log, &test);
  ASSERT_EQ(log.epochs.size(), 4U);
  EXPECT_LT(log.epochs.back().loss, log.epochs.front().loss);
  EXPECT_FALSE(result.interrupted);
  EXPECT_FALSE(result.stopped_early);
  EXPECT_EQ(result.epochs, 4U);
  const Evaluation evaluation = evaluate(result.model, test);
  EXPECT_GT(evaluation.accuracy, 0.9);
  EXPECT_GE(evaluation.coverage, evaluation.accuracy);
}

TEST(Train, KeepsTheBestModelAndStopsWhenPatienceIsOver) {
  const TrainingFiles files;
  const Dataset data = files.train();
  const Dataset test = files.test();
  TrainConfig config = TrainingFiles::config();
  config.epochs = 50;
  config.patience = 2;
  EpochLog log;
  const TrainResult result = train(data, config, &log, &test);
  EXPECT_TRUE(result.stopped_early);
  EXPECT_LT(result.epochs, 50U);
  double best = 0.0;
  for (const EpochReport& report : log.epochs) {
    EXPECT_EQ(report.best, report.validation->accuracy > best);
    best = std::max(best, report.validation->accuracy);
  }
  EXPECT_EQ(evaluate(result.model, test).accuracy, best);
}

TEST(Train, ReturnsTheLastWeightsIfTheBestAreNotWanted) {
  const TrainingFiles files;
  const Dataset data = files.train();
  const Dataset test = files.test();
  TrainConfig config = TrainingFiles::config();
  config.schedule = Schedule::kConstant;
  config.epochs = 50;
  config.patience = 2;
  const TrainResult best = train(data, config, nullptr, &test);
  config.keep_best = false;
  const TrainResult last = train(data, config, nullptr, &test);
  ASSERT_TRUE(last.stopped_early);
  EXPECT_EQ(last.epochs, best.epochs);
  EXPECT_NE(weights_of(last.model), weights_of(best.model));
  // Validation has no part in training: without it, as many epochs end at the same weights.
  config.epochs = last.epochs;
  EXPECT_EQ(weights_of(last.model), weights_of(train(data, config).model));
}

TEST(Train, ResumesToTheSameBits) {
  const TrainingFiles files;
  const Dataset data = files.train();
  const Dataset test = files.test();
  TrainConfig config = TrainingFiles::config();
  config.batch = 32;
  for (const OptimizerKind optimizer : {OptimizerKind::kSgd, OptimizerKind::kAdagrad}) {
    config.optimizer = optimizer;
    config.checkpoint_path.clear();
    config.resume = false;
    const TrainResult whole = train(data, config, nullptr, &test);
    config.checkpoint_path = files.folder().path("model.checkpoint");
    // In the first epoch, at its very end, and in a later one.
    for (const int stop_after : {5, 13, 31}) {
      config.resume = false;
      StopAfter stop(stop_after);
      const TrainResult stopped = train(data, config, &stop, &test);
      EXPECT_TRUE(stopped.interrupted);
      ASSERT_TRUE(std::filesystem::exists(config.checkpoint_path));
      config.resume = true;
      const TrainResult resumed = train(data, config, nullptr, &test);
      EXPECT_FALSE(resumed.interrupted);
      EXPECT_EQ(weights_of(resumed.model), weights_of(whole.model));
      EXPECT_TRUE(std::filesystem::exists(config.checkpoint_path));
    }
  }
}

TEST(Train, RefusesToResumeWithOtherOptionsOrData) {
  const TrainingFiles files;
  const Dataset data = files.train();
  TrainConfig config = TrainingFiles::config();
  config.checkpoint_path = files.folder().path("model.checkpoint");
  StopAfter stop(3);
  train(data, config, &stop);
  config.resume = true;
  TrainConfig other = config;
  other.noises = 3;
  EXPECT_THAT(error_text([&] { train(data, other); }), ::testing::HasSubstr("`noises`"));
  const Dataset smaller = Dataset::load(files.test_path(), files.options());
  EXPECT_THAT(error_text([&] { train(smaller, config); }),
              ::testing::HasSubstr("other training data"));
  EXPECT_EQ(checkpoint_config(config.checkpoint_path).noises, 1U);
}

TEST(Train, RefusesImpossibleOptionsByName) {
  const TrainingFiles files;
  const Dataset data = files.train();
  const auto refused = [&](auto change) {
    TrainConfig config = TrainingFiles::config();
    change(config);
    return error_text([&] { train(data, config); });
  };
  EXPECT_THAT(refused([](TrainConfig& c) { c.rank = kMaxRank + 1; }),
              ::testing::HasSubstr("`rank`"));
  EXPECT_THAT(refused([](TrainConfig& c) { c.arity = 1; }), ::testing::HasSubstr("`arity`"));
  EXPECT_THAT(refused([](TrainConfig& c) { c.lr = -1.0F; }), ::testing::HasSubstr("`lr`"));
  EXPECT_THAT(refused([](TrainConfig& c) { c.l2 = -2.0F; }), ::testing::HasSubstr("`l2`"));
  EXPECT_THAT(refused([](TrainConfig& c) { c.clip = -1.0F; }), ::testing::HasSubstr("`clip`"));
  EXPECT_THAT(refused([](TrainConfig& c) { c.tree = "/nowhere"; }),
              ::testing::HasSubstr("/nowhere"));
}

TEST(Train, RefusesExamplesWithoutALabel) {
  const TrainingFiles files;
  DataOptions options = files.options();
  options.require_labels = false;
  const std::string path = files.folder().write("gap.svm", "a 1:1\nb 2:1\n3:1\n");
  const Dataset data = Dataset::load(path, options);
  EXPECT_THAT(error_text([&] { train(data, TrainingFiles::config()); }),
              ::testing::HasSubstr("example 3 "));
}

TEST(Train, TakesAllClassesAsCandidatesWhenThereAreFewer) {
  const TrainingFiles files;
  TrainConfig config = TrainingFiles::config();
  config.candidates = 1000;
  const TrainResult result = train(files.train(), config);
  EXPECT_EQ(result.model.config().candidates, 20U);
  EXPECT_EQ(evaluate(result.model, files.test()).coverage, 1.0);
}

TEST(Train, EstimatesMemoryAndTime) {
  const TrainingFiles files;
  const TrainEstimate estimate = estimate_training(files.train(), TrainingFiles::config());
  EXPECT_GT(estimate.seconds, 0.0);
  EXPECT_GT(estimate.model_bytes, 20U * 13U * sizeof(float));
  EXPECT_EQ(estimate.optimizer_bytes, 0U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
