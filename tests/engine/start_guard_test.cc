#include "engine/start_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cane/train.h"
#include "model/model_data.h"
#include "support/small_dataset.h"
#include "support/stop_after.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

// Class means are the best that can be done here, and a high rate spoils them.
Dataset gaussian_data() {
  return testing::small_dataset({.classes = 50, .examples = 20'000, .dimension = 8, .noise = 0.8F});
}

TrainConfig fast_options(float rate) {
  TrainConfig config;
  config.method = Method::kSoftmax;
  config.epochs = 1;
  config.lr = rate;
  config.pilot = PilotKind::kOff;  // it would see that zero is the better start for this rate
  config.schedule = Schedule::kConstant;
  config.threads = 2;
  config.deterministic = true;
  return config;
}

struct Notes : TrainObserver {
  void on_message(const std::string& text) override { all += text + '\n'; }
  std::string all;
};

bool says_worse(const Notes& notes) {
  return notes.all.find("WARNING: training has come out worse") != std::string::npos;
}

TEST(StartGuard, KeepsTheStartWhereTrainingSpoilsIt) {
  const Dataset data = gaussian_data();
  const Dataset unseen = testing::small_dataset(
      {.classes = 50, .examples = 2000, .dimension = 8, .noise = 0.8F, .seed = 2});
  Notes spoilt;
  const Model kept = train(data, fast_options(20.0F), &spoilt).model;
  EXPECT_TRUE(says_worse(spoilt)) << spoilt.all;
  Notes gentle;
  const Model trained = train(data, fast_options(1e-6F), &gentle).model;
  EXPECT_FALSE(says_worse(gentle));
  TrainConfig last = fast_options(20.0F);
  last.keep_best = false;
  Notes silent;
  const Model spoilt_model = train(data, last, &silent).model;
  EXPECT_FALSE(says_worse(silent));
  const auto accuracy = [&](const Model& model) { return evaluate(model, unseen).accuracy; };
  EXPECT_NEAR(accuracy(kept), accuracy(trained), 0.01);
  EXPECT_GT(accuracy(kept), accuracy(spoilt_model) + 0.02);
}

TEST(StartGuard, MeasuresOnValidationDataWhereThereIsSuch) {
  const Dataset data = gaussian_data();
  const Dataset valid = testing::small_dataset(
      {.classes = 50, .examples = 2000, .dimension = 8, .noise = 0.8F, .seed = 2});
  TrainConfig config = fast_options(20.0F);
  Notes spoilt;
  train(data, config, &spoilt, &valid);
  EXPECT_TRUE(says_worse(spoilt)) << spoilt.all;
  EXPECT_THAT(spoilt.all, ::testing::HasSubstr("before the first step it was"));
}

TEST(StartGuard, KeepsTheClassMeansWhereTrainingFromZeroIsWorse) {
  const Dataset data = gaussian_data();
  TrainConfig config = fast_options(20.0F);
  config.start = StartKind::kZero;
  Notes notes;
  const Model kept = train(data, config, &notes).model;
  EXPECT_TRUE(says_worse(notes)) << notes.all;
  EXPECT_THAT(notes.all, ::testing::HasSubstr("by the class means it would be"));
  EXPECT_THAT(notes.all, ::testing::HasSubstr("The model is that of the class means"));
  config = fast_options(1e-6F);
  EXPECT_NEAR(evaluate(kept, data).accuracy, evaluate(train(data, config).model, data).accuracy,
              0.01);
}

TEST(StartGuard, SaysWhereProbabilitiesAreWorseThanFrequencies) {
  const Dataset data = gaussian_data();
  const StartGuard guard(data, nullptr, 1);
  ThreadPool pool(2);
  TrainConfig config = fast_options(20.0F);
  config.keep_best = false;
  config.calibrate = false;
  const auto found = guard.find_better_probabilities(train(data, config).model.data(), pool);
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(*found, ::testing::HasSubstr("that of the frequencies of the classes 3.9"));
  config.lr = 1e-6F;
  EXPECT_FALSE(guard.find_better_probabilities(train(data, config).model.data(), pool));
}

TEST(StartGuard, SaysWhereTheMostFrequentClassWouldBeBetter) {
  // Nothing can be learned: the features say nothing about the class.
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    text += (i % 3 > 0 ? "a" : "b" + std::to_string(i % 20)) +
            " 1:1 2:" + std::to_string(i * 7919 % 101 - 50) +
            "e-2 3:" + std::to_string(i * 104729 % 103 - 51) + "e-2\n";
  }
  const testing::TemporaryFolder folder;
  DataOptions options;
  options.use_cache = false;
  const Dataset data = Dataset::load(folder.write("same.svm", text), options);
  TrainConfig config = fast_options(5.0F);
  config.start = StartKind::kZero;
  Notes notes;
  train(data, config, &notes, &data);
  EXPECT_TRUE(says_worse(notes)) << notes.all;
  EXPECT_THAT(notes.all, ::testing::HasSubstr("always the most frequent class would have"));
  EXPECT_THAT(notes.all, ::testing::HasSubstr("that of the frequencies of the classes 1.6"));
}

TEST(StartGuard, LeavesTheSameExamplesOutAfterAPause) {
  const Dataset data = gaussian_data();
  const testing::TemporaryFolder folder;
  TrainConfig config = fast_options(0.05F);
  config.epochs = 2;
  const Model whole = train(data, config).model;
  config.checkpoint_path = folder.path("checkpoint");
  testing::StopAfter stop(100);
  EXPECT_TRUE(train(data, config, &stop).interrupted);
  config.resume = true;
  const Model resumed = train(data, config).model;
  EXPECT_EQ(resumed.data().training_examples, whole.data().training_examples);
  EXPECT_EQ(*evaluate(resumed, data).log_loss, *evaluate(whole, data).log_loss);
}

TEST(StartGuard, NeedsEnoughExamples) {
  const Dataset data = gaussian_data();
  TrainConfig config;
  EXPECT_TRUE(StartGuard::applies(config, data.data().view));
  config.start = StartKind::kZero;
  EXPECT_TRUE(StartGuard::applies(config, data.data().view));
  config.encoder = EncoderKind::kBag;
  EXPECT_TRUE(StartGuard::applies(config, data.data().view));
  config = {};
  config.method = Method::kLomTree;  // an online tree learns from each example once
  EXPECT_FALSE(StartGuard::applies(config, data.data().view));
  EXPECT_FALSE(StartGuard::applies({}, testing::small_dataset({.examples = 5000}).data().view));
}

TEST(StartGuard, HoldsAtMostOneInAHundredOut) {
  EXPECT_EQ(guarded_examples(gaussian_data().data().view), 200U);
  EXPECT_EQ(guarded_examples(testing::small_dataset({.examples = 19'000}).data().view), 0U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
