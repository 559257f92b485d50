// Labels: threads
#include "cane/predict.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "data/loaded_data.h"
#include "support/error_text.h"
#include "support/temporary_folder.h"
#include "support/training_files.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::TrainingFiles;

class PredictTest : public ::testing::Test {
 protected:
  PredictTest() : model_(train(files_.train(), TrainingFiles::config()).model) {}

  std::vector<Feature> features(const Dataset& data, std::size_t example) const {
    std::vector<float> scratch(data.dimension());
    const RowView row = data.data().view.row(example, scratch);
    std::vector<Feature> result;
    for (std::uint32_t p = 0; p < row.count; ++p) {
      result.push_back({row.indices == nullptr ? p : row.indices[p], row.values[p]});
    }
    return result;
  }

  TrainingFiles files_;
  Model model_;
};
using PredictorThreads = PredictTest;

TEST_F(PredictTest, ExactProbabilitiesOfAllClassesSumToOne) {
  PredictOptions options;
  options.top_k = 20;
  options.probability = Probability::kExact;
  const Predictor predictor(model_, options);
  const Dataset test = files_.test();
  for (std::size_t e = 0; e < 20; ++e) {
    double sum = 0.0;
    for (const Prediction& prediction : predictor.predict(features(test, e))) {
      sum += static_cast<double>(prediction.probability);
    }
    EXPECT_NEAR(sum, 1.0, 1e-4);
  }
}

TEST_F(PredictTest, TheEstimatedNormaliserIsRightOnAverage) {
  PredictOptions exact_options;
  exact_options.probability = Probability::kExact;
  exact_options.beam = 2;
  PredictOptions options = exact_options;
  options.probability = Probability::kEstimate;
  options.noises = 200;
  const Predictor exact(model_, exact_options);
  const Predictor estimate(model_, options);
  const Dataset test = files_.test();
  double ratio = 0.0;
  for (std::size_t e = 0; e < test.size(); ++e) {
    // The estimate is unbiased for the normaliser, so for the inverse of the probability.
    ratio += static_cast<double>(exact.predict(features(test, e))[0].probability /
                                 estimate.predict(features(test, e))[0].probability);
  }
  EXPECT_NEAR(ratio / static_cast<double>(test.size()), 1.0, 0.02);
}

TEST_F(PredictTest, SaysTheSameOfAnExampleAloneAndInABatch) {
  PredictOptions options;
  options.top_k = 4;
  const Predictor predictor(model_, options);
  const Dataset test = files_.test();
  std::size_t next = 0;
  predictor.predict(test, [&](std::size_t example, std::span<const Prediction> best) {
    ASSERT_EQ(example, next++);
    const auto alone = predictor.predict(features(test, example));
    ASSERT_EQ(alone.size(), best.size());
    for (std::size_t i = 0; i < best.size(); ++i) {
      EXPECT_EQ(alone[i].class_id, best[i].class_id);
      EXPECT_NEAR(alone[i].probability, best[i].probability, 1e-5);
    }
  });
  EXPECT_EQ(next, test.size());
}

TEST_F(PredictorThreads, AnswersManyThreadsAtOnceAsOne) {
  const Predictor predictor(model_);
  const Dataset test = files_.test();
  std::vector<Prediction> expected;
  for (std::size_t e = 0; e < test.size(); ++e) {
    expected.push_back(predictor.predict(features(test, e))[0]);
  }
  std::vector<int> differences(8, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < differences.size(); ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t e = 0; e < test.size(); ++e) {
        const Prediction found = predictor.predict(features(test, e))[0];
        if (found.class_id != expected[e].class_id || found.score != expected[e].score ||
            found.probability != expected[e].probability) {
          ++differences[t];
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : differences) EXPECT_EQ(count, 0);
}

TEST_F(PredictTest, IgnoresFeaturesItNeverSawAndRefusesUnsortedOnes) {
  const Predictor predictor(model_);
  const Dataset test = files_.test();
  auto row = features(test, 0);
  const Prediction expected = predictor.predict(row)[0];
  row.push_back({100000, 3.0F});
  EXPECT_EQ(predictor.predict(row)[0].score, expected.score);
  const std::vector<Feature> unsorted = {{3, 1.0F}, {2, 1.0F}};
  EXPECT_THAT(testing::error_text([&] { predictor.predict(unsorted); }),
              ::testing::HasSubstr("not increasing"));
}

TEST_F(PredictTest, HasNoLogLossWhereNoLabelIsKnown) {
  const std::string path = files_.folder().write("strangers.svm", "a-stranger 1:0.5\n");
  const Evaluation evaluation = evaluate(model_, Dataset::load(path, model_, files_.options()));
  EXPECT_EQ(evaluation.unseen_labels, 1U);
  EXPECT_FALSE(evaluation.log_loss.has_value());
}

TEST_F(PredictTest, CountsALabelThatTrainingNeverSawAsAnError) {
  const std::string line = testing::TemporaryFolder::read(files_.test_path());
  const std::string path = files_.folder().write(
      "strange.svm", "a-stranger 1:0.5\n" + line.substr(0, line.find('\n') + 1));
  const Dataset data = Dataset::load(path, model_, files_.options());
  EXPECT_EQ(data.report().unseen_labels, 1U);
  EXPECT_EQ(data.report().unseen_label_names, std::vector<std::string>{"a-stranger"});
  const Evaluation evaluation = evaluate(model_, data);
  EXPECT_EQ(evaluation.unseen_labels, 1U);
  EXPECT_EQ(evaluation.examples, 2U);
  EXPECT_LE(evaluation.accuracy, 0.5);
  EXPECT_TRUE(std::isfinite(evaluation.log_loss.value()));
  // The stranger is an error of accuracy and calibration, and in no class or group.
  EXPECT_EQ(evaluation.macro_accuracy, 2.0 * evaluation.accuracy);
  EXPECT_EQ(evaluation.head.examples + evaluation.middle.examples + evaluation.tail.examples, 1U);
}

TEST_F(PredictTest, MeasuresAgreeWithThePredictionsThemselves) {
  const Dataset test = files_.test();
  PredictOptions options;
  options.top_k = 20;
  options.probability = Probability::kExact;
  double correct = 0.0;
  double in_top_three = 0.0;
  double loss = 0.0;
  std::vector<std::vector<double>> by_class(20);
  std::vector<double> excess(kCalibrationBins, 0.0);
  Predictor(model_, options)
      .predict(test, [&](std::size_t example, std::span<const Prediction> best) {
        const ClassId label = test.data().view.label(example);
        const bool right = best[0].class_id == label;
        const auto confidence = static_cast<double>(best[0].probability);
        by_class[label].push_back(right ? 1.0 : 0.0);
        excess[std::min<std::size_t>(static_cast<std::size_t>(confidence * 15.0), 14)] +=
            confidence - (right ? 1.0 : 0.0);
        for (std::size_t i = 0; i < best.size(); ++i) {
          if (best[i].class_id != label) continue;
          correct += i == 0 ? 1 : 0;
          in_top_three += i < 3 ? 1 : 0;
          loss -= std::log(static_cast<double>(best[i].probability));
        }
      });
  EvaluateOptions evaluate_options;
  evaluate_options.top_k = {1, 3};
  evaluate_options.beam = 20;
  const Evaluation evaluation = evaluate(model_, test, evaluate_options);
  const auto examples = static_cast<double>(test.size());
  EXPECT_DOUBLE_EQ(evaluation.accuracy, correct / examples);
  EXPECT_DOUBLE_EQ(evaluation.top.at(1), correct / examples);
  EXPECT_DOUBLE_EQ(evaluation.top.at(3), in_top_three / examples);
  EXPECT_NEAR(evaluation.log_loss.value(), loss / examples, 1e-4);
  double calibration = 0.0;
  for (const double value : excess) calibration += std::abs(value) / examples;
  EXPECT_NEAR(evaluation.calibration_error.value(), calibration, 1e-4);
  double macro = 0.0;
  for (const auto& right : by_class) {
    macro += std::accumulate(right.begin(), right.end(), 0.0) / static_cast<double>(right.size());
  }
  EXPECT_NEAR(evaluation.macro_accuracy, macro / 20.0, 1e-9);
  EXPECT_EQ(evaluation.coverage, 1.0);
  EXPECT_EQ(evaluation.rows_per_example, 2.0 + 6.0 + 20.0);
}

TEST_F(PredictTest, GroupsClassesByTheirTrainingExamples) {
  const Dataset training = files_.train();
  std::vector<std::uint64_t> counts(20, 0);
  for (std::size_t e = 0; e < training.size(); ++e) ++counts[training.data().view.label(e)];
  const Dataset test = files_.test();
  std::uint64_t tail_examples = 0;
  for (std::size_t e = 0; e < test.size(); ++e) {
    tail_examples += counts[test.data().view.label(e)] < kTailBelow ? 1 : 0;
  }
  const auto is_tail = [](std::uint64_t count) { return count < kTailBelow; };
  const auto tail_classes =
      static_cast<std::uint64_t>(std::count_if(counts.begin(), counts.end(), is_tail));
  ASSERT_GT(tail_classes, 0U);
  ASSERT_LT(tail_classes, 20U);

  const Evaluation evaluation = evaluate(model_, test);
  EXPECT_EQ(evaluation.head.classes, 0U);
  EXPECT_FALSE(evaluation.head.accuracy.has_value());
  EXPECT_EQ(evaluation.middle.classes, 20U - tail_classes);
  EXPECT_EQ(evaluation.middle.examples, test.size() - tail_examples);
  EXPECT_EQ(evaluation.tail.classes, tail_classes);
  EXPECT_EQ(evaluation.tail.examples, tail_examples);
  const double correct =
      *evaluation.middle.accuracy * static_cast<double>(evaluation.middle.examples) +
      *evaluation.tail.accuracy * static_cast<double>(evaluation.tail.examples);
  EXPECT_NEAR(correct, evaluation.accuracy * static_cast<double>(test.size()), 1e-9);
}

TEST_F(PredictTest, RefusesToMeasureDataReadThroughOtherLabels) {
  std::string text = testing::TemporaryFolder::read(files_.test_path());
  text += "a-stranger 1:0.5\n";
  const Dataset data = Dataset::load(files_.folder().write("alone.svm", text), files_.options());
  ASSERT_EQ(data.dimension(), model_.dimension());
  EXPECT_THAT(testing::error_text([&] { evaluate(model_, data); }),
              ::testing::HasSubstr("this model's labels"));
}

TEST_F(PredictTest, HasNoCalibrationErrorWithoutANormaliser) {
  EvaluateOptions options;
  options.probability = Probability::kNone;
  EXPECT_FALSE(evaluate(model_, files_.test(), options).calibration_error.has_value());
  options.probability = Probability::kEstimate;
  EXPECT_TRUE(evaluate(model_, files_.test(), options).calibration_error.has_value());
}

// Several batches of examples, so that threads have something to share.
TEST_F(PredictorThreads, MeasureTheSameBitsWhateverTheirNumber) {
  std::string text;
  for (int copy = 0; copy < 8; ++copy) {
    text += testing::TemporaryFolder::read(files_.test_path());
  }
  const Dataset data =
      Dataset::load(files_.folder().write("long.svm", text), model_, files_.options());
  EvaluateOptions options;
  options.threads = 1;
  const Evaluation one = evaluate(model_, data, options);
  options.threads = 4;
  const Evaluation four = evaluate(model_, data, options);
  EXPECT_EQ(one.log_loss, four.log_loss);
  EXPECT_EQ(one.calibration_error, four.calibration_error);
  EXPECT_EQ(one.macro_accuracy, four.macro_accuracy);
  EXPECT_EQ(one.tail.accuracy, four.tail.accuracy);
}

TEST_F(PredictTest, TakesAWiderSearchOnlyForAKBeyondTheBeam) {
  const Dataset test = files_.test();
  EvaluateOptions options;
  options.beam = 1;
  options.top_k = {1, 20};
  const Evaluation evaluation = evaluate(model_, test, options);
  EXPECT_EQ(evaluation.top.at(1), evaluation.accuracy);
  EXPECT_EQ(evaluation.coverage, evaluation.accuracy);
  EXPECT_EQ(evaluation.top.at(20), 1.0);
}

TEST(PredictText, AnswersATextAsItDoesALineOfAFile) {
  const testing::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += fmt::format("__label__{} stem{} noise{}\n", i % 8, i % 8, i % 17);
  }
  DataOptions reading;
  reading.use_cache = false;
  TrainConfig config = TrainingFiles::config();
  config.candidates = 3;
  config.epochs = 10;
  const Model model = train(Dataset::load(folder.write("train", text), reading), config).model;
  PredictOptions options;
  options.top_k = 3;
  options.probability = Probability::kExact;
  const Predictor predictor(model, options);
  const std::vector<std::string> lines = {"stem3 noise4", "__label__1 stem0 stem1 unheard",
                                          "noise16"};
  std::string joined;
  for (const std::string& line : lines) joined += line + "\n";
  reading.require_labels = false;
  const Dataset data = Dataset::load(folder.write("test", joined), model, reading);
  predictor.predict(data, [&](std::size_t example, std::span<const Prediction> expected) {
    const std::vector<Prediction> found = predictor.predict(lines[example]);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].class_id, expected[i].class_id);
      EXPECT_EQ(found[i].score, expected[i].score);
      EXPECT_EQ(found[i].probability, expected[i].probability);
    }
  });
  EXPECT_EQ(predictor.label(predictor.predict("stem3").front().class_id), "3");
}

TEST_F(PredictorThreads, AnswersTextsFromManyThreadsAtOnce) {
  const Predictor predictor(model_);
  const auto answer = [&](int i) {
    return predictor.predict(fmt::format("{}:1 {}:2", i % 5, 5 + i % 7)).front().class_id;
  };
  std::vector<std::uint32_t> expected(40);
  for (int i = 0; i < 40; ++i) expected[static_cast<std::size_t>(i)] = answer(i);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 40; ++i) {
        if (answer(i) != expected[static_cast<std::size_t>(i)]) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(PredictTest, AnswersAStreamAsItDoesAFile) {
  const Predictor predictor(model_);
  std::vector<Prediction> expected;
  predictor.predict(files_.test(), [&](std::size_t, std::span<const Prediction> best) {
    expected.push_back(best.front());
  });
  std::size_t count = 0;
  DataOptions reading;
  reading.require_labels = false;
  const ReadReport report =
      predictor.predict_stream(files_.test_path(), reading, [&](const RowAnswer& answer) {
        ASSERT_LT(answer.example, expected.size());
        EXPECT_EQ(answer.example, count++);
        EXPECT_EQ(answer.best.front().class_id, expected[answer.example].class_id);
        EXPECT_EQ(answer.best.front().score, expected[answer.example].score);
      });
  EXPECT_EQ(count, expected.size());
  EXPECT_EQ(report.skipped_lines, 0U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
