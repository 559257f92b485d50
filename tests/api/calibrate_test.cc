// What calibrate() promises, and who keeps a calibration.
#include "cane/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cane/cane.h"
#include "model/model_data.h"
#include "support/error_text.h"
#include "support/temporary_folder.h"
#include "support/training_files.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_text;
using testing::TrainingFiles;

class CalibrateTest : public ::testing::Test {
 protected:
  CalibrateTest() : model_(train(files_.train(), TrainingFiles::config()).model) {}

  static std::vector<Prediction> predictions(const Model& model, const Dataset& data,
                                             PredictOptions options) {
    options.threads = 1;
    std::vector<Prediction> all;
    Predictor(model, options).predict(data, [&](std::size_t, std::span<const Prediction> best) {
      all.insert(all.end(), best.begin(), best.end());
    });
    return all;
  }

  TrainingFiles files_;
  Model model_;
};

TEST_F(CalibrateTest, ChangesProbabilitiesAndNeverTheOrder) {
  const Dataset test = files_.test();
  const CalibrateResult result = calibrate(model_, test);
  EXPECT_EQ(result.examples, test.size());
  PredictOptions options;
  options.top_k = 5;
  options.probability = Probability::kExact;
  const auto before = predictions(model_, test, options);
  const auto after = predictions(result.model, test, options);
  ASSERT_EQ(before.size(), after.size());
  bool differ = false;
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].class_id, after[i].class_id);
    EXPECT_EQ(before[i].score, after[i].score);
    if (i % 5 > 0) {
      EXPECT_LE(after[i].probability, after[i - 1].probability * 1.0001F);
    }
    differ = differ || before[i].probability != after[i].probability;
  }
  EXPECT_TRUE(differ);
}

TEST_F(CalibrateTest, IsKeptInTheFileAndByQuantization) {
  const Dataset test = files_.test();
  const Model calibrated = calibrate(model_, test).model;
  testing::TemporaryFolder folder;
  const std::string path = folder.path("model");
  calibrated.save(path);
  const Model loaded = Model::load(path);
  EXPECT_EQ(loaded.data().calibration.shares, calibrated.data().calibration.shares);
  EXPECT_EQ(loaded.data().calibration.temperatures, calibrated.data().calibration.temperatures);
  EXPECT_EQ(predictions(loaded, test, {}).front().probability,
            predictions(calibrated, test, {}).front().probability);
  EXPECT_FALSE(quantize(loaded).model.data().calibration.is_none());
  // A new calibration replaces the old one: it is learned from the raw scores.
  EXPECT_EQ(calibrate(loaded, test).model.data().calibration.shares,
            calibrated.data().calibration.shares);
}

TEST_F(CalibrateTest, IsDoneByTrainingWithValidationUnlessTurnedOff) {
  const Dataset train_data = files_.train();
  const Dataset valid = files_.test();
  TrainConfig config = TrainingFiles::config();
  const Model calibrated = train(train_data, config, nullptr, &valid).model;
  EXPECT_FALSE(calibrated.data().calibration.is_none());
  config.calibrate = false;
  EXPECT_TRUE(train(train_data, config, nullptr, &valid).model.data().calibration.is_none());
  // Further training makes other scores: what was learned of the old ones is forgotten.
  const Model further = continue_training(calibrated, train_data, config).model;
  EXPECT_TRUE(further.data().calibration.is_none());
}

TEST_F(CalibrateTest, RefusesWhatItCannotLearnFrom) {
  const Dataset test = files_.test();
  CalibrateOptions none;
  none.probability = Probability::kNone;
  EXPECT_THAT(error_text([&] { calibrate(model_, test, none); }),
              ::testing::HasSubstr("nothing to calibrate"));
  TrainConfig online;
  online.method = Method::kFilterTree;
  online.epochs = 1;
  const Model routed = train(files_.train(), online).model;
  EXPECT_THAT(error_text([&] { calibrate(routed, test); }),
              ::testing::HasSubstr("no probabilities"));
  std::string text;
  for (int i = 0; i < 100; ++i) text += "nowhere 1:1\n";
  const testing::TemporaryFolder folder;
  DataOptions reading;
  reading.use_cache = false;
  const Dataset foreign = Dataset::load(folder.write("foreign.svm", text), model_, reading);
  EXPECT_THAT(error_text([&] { calibrate(model_, foreign); }),
              ::testing::HasSubstr("100 of 100 examples have labels that the model does not know"));
}

TEST_F(CalibrateTest, LetsUnsureAnswersBeWithheld) {
  const Dataset test = files_.test();
  PredictOptions options;
  options.top_k = 3;
  const auto all = predictions(model_, test, options);
  options.reject = 0.9F;
  std::size_t example = 0;
  std::size_t rejected = 0;
  const Predictor predictor(model_, options);
  predictor.predict(test, [&](std::size_t, std::span<const Prediction> best) {
    const Prediction& expected = all[3 * example++];
    EXPECT_EQ(best.front().probability, expected.probability);
    if (expected.probability < 0.9F) {
      ++rejected;
      ASSERT_EQ(best.size(), 1U);
      EXPECT_EQ(best.front().class_id, kRejectedClass);
      EXPECT_EQ(predictor.label(best.front().class_id), "unknown");
    } else {
      EXPECT_EQ(best.size(), 3U);
      EXPECT_EQ(best.front().class_id, expected.class_id);
    }
  });
  EXPECT_GT(rejected, 0U);
  EXPECT_LT(rejected, test.size());
  options.probability = Probability::kNone;
  EXPECT_THAT(error_text([&] { Predictor(model_, options); }),
              ::testing::HasSubstr("needs probabilities"));
}

TEST_F(CalibrateTest, SaysWhatAutomaticProbabilitiesAre) {
  EvaluateOptions options;
  options.probability = Probability::kAuto;
  EXPECT_EQ(evaluate(model_, files_.test(), options).probability, Probability::kExact);
  options.probability = Probability::kEstimate;
  options.details = true;
  const Evaluation estimated = evaluate(model_, files_.test(), options);
  EXPECT_EQ(estimated.probability, Probability::kEstimate);
  ASSERT_TRUE(estimated.estimate_error);
  EXPECT_EQ(estimated.estimate_error->examples, files_.test().size());
  EXPECT_LT(estimated.estimate_error->mean_absolute, 0.1);
  options.details = false;
  EXPECT_FALSE(evaluate(model_, files_.test(), options).details);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
