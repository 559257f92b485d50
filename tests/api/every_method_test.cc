// Labels: threads
// What the library promises of a model, for every method: files, checkpoints, probabilities.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cane/cane.h"
#include "cane/fields.h"
#include "core/base/field_text.h"
#include "data/loaded_data.h"
#include "methods/selector_table.h"
#include "model/model_data.h"
#include "support/method_rows.h"
#include "support/stop_after.h"
#include "support/training_files.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::MethodRow;
using testing::short_training;
using testing::StopAfter;
using testing::TrainingFiles;

constexpr std::uint32_t kClasses = 20;

// The same for all tests; read once.
const Dataset& training_data() {
  static const Dataset data = TrainingFiles::shared().train();
  return data;
}
const Dataset& test_data() {
  static const Dataset data = TrainingFiles::shared().test();
  return data;
}

/// Trained once for all tests of a row.
const Model& model_of(const MethodRow& row) {
  static std::map<std::string, Model> models;
  auto found = models.find(row.name);
  if (found == models.end()) {
    found = models.emplace(row.name, train(training_data(), short_training(row)).model).first;
  }
  return found->second;
}

std::vector<Feature> features(std::size_t example) {
  std::vector<float> scratch(test_data().dimension());
  const RowView row = test_data().data().view.row(example, scratch);
  std::vector<Feature> result;
  for (std::uint32_t p = 0; p < row.count; ++p) {
    result.push_back({row.indices == nullptr ? p : row.indices[p], row.values[p]});
  }
  return result;
}

std::vector<Prediction> predictions(const Model& model, const Dataset& data,
                                    PredictOptions options = {}) {
  std::vector<Prediction> all;
  Predictor(model, options).predict(data, [&](std::size_t, std::span<const Prediction> best) {
    all.insert(all.end(), best.begin(), best.end());
  });
  return all;
}

void expect_same_bits(const std::vector<Prediction>& a, const std::vector<Prediction>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].class_id, b[i].class_id);
    ASSERT_EQ(a[i].score, b[i].score);
    ASSERT_EQ(a[i].probability, b[i].probability);
  }
}

void expect_same_weights(const Model& a, const Model& b) {
  ASSERT_EQ(a.data().weights.size(), b.data().weights.size());
  for (std::size_t table = 0; table < a.data().weights.size(); ++table) {
    const auto left = float_weights(a.data(), table);
    const auto right = float_weights(b.data(), table);
    ASSERT_TRUE(std::equal(left.begin(), left.end(), right.begin(), right.end()))
        << "table " << table;
  }
}

class EveryMethodApiThreads : public ::testing::TestWithParam<MethodRow> {
 protected:
  static const Model& model() { return model_of(GetParam()); }
};

TEST_P(EveryMethodApiThreads, PredictsTheSameBitsAfterSavingAndLoading) {
  const testing::TemporaryFolder folder;
  model().save(folder.path("model"));
  const Model loaded = Model::load(folder.path("model"));
  EXPECT_EQ(differing_fields(loaded.config(), model().config()), "");
  EXPECT_EQ(loaded.description(), model().description());
  for (const Probability probability : {Probability::kEstimate, Probability::kExact}) {
    PredictOptions options;
    options.top_k = 3;
    options.probability = probability;
    expect_same_bits(predictions(model(), test_data(), options),
                     predictions(loaded, test_data(), options));
  }
  EXPECT_GT(evaluate(loaded, test_data()).accuracy, GetParam().accuracy);
}

TEST_P(EveryMethodApiThreads, ResumesToTheSameBits) {
  const testing::TemporaryFolder folder;
  TrainConfig config = short_training(GetParam());
  config.checkpoint_path = folder.path("checkpoint");
  config.batch = 16;
  const Model whole = train(training_data(), config).model;
  // 25 batches an epoch, in the first epoch and in the second. An index is made anew every 7
  // batches and when training goes on: only there is it the same one.
  const bool index = row_of(config.select).indexes_tree;
  for (const int stop_after : {index ? 6 : 9, index ? 31 : 30}) {
    config.resume = false;
    StopAfter stop(stop_after);
    ASSERT_TRUE(train(training_data(), config, &stop).interrupted);
    // As a user goes on: with the options that the checkpoint remembers.
    TrainConfig remembered = checkpoint_config(config.checkpoint_path);
    remembered.checkpoint_path = config.checkpoint_path;
    remembered.resume = true;
    remembered.threads = 1;
    const TrainResult resumed = train(training_data(), remembered);
    EXPECT_FALSE(resumed.interrupted);
    EXPECT_EQ(resumed.epochs, 2U);
    expect_same_weights(resumed.model, whole);
    // And with those that training began with.
    config.resume = true;
    expect_same_weights(train(training_data(), config).model, whole);
  }
}

TEST_P(EveryMethodApiThreads, CountsALabelThatTrainingNeverSawAsAnError) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("test.svm", "class-03 1:1 2:2\nstranger 1:1 3:2\n");
  const Dataset data = Dataset::load(path, model(), TrainingFiles::shared().options());
  const Evaluation evaluation = evaluate(model(), data);
  EXPECT_EQ(evaluation.examples, 2U);
  EXPECT_EQ(evaluation.unseen_labels, 1U);
  EXPECT_LE(evaluation.accuracy, 0.5);
  EXPECT_LE(evaluation.coverage, 0.5);
  EXPECT_EQ(evaluation.log_loss.has_value(), model().has_probabilities());
  EXPECT_TRUE(std::isfinite(evaluation.log_loss.value_or(0.0)));
}

TEST_P(EveryMethodApiThreads, ATopKBeyondAllClassesGivesEachClassOnce) {
  for (const Probability probability :
       {Probability::kNone, Probability::kEstimate, Probability::kExact}) {
    PredictOptions options;
    options.top_k = 5 * kClasses;
    options.probability = probability;
    const Predictor predictor(model(), options);
    for (std::size_t e = 0; e < 5; ++e) {
      const auto best = predictor.predict(features(e));
      ASSERT_EQ(best.size(), kClasses);
      std::set<std::uint32_t> found;
      for (const Prediction& prediction : best) found.insert(prediction.class_id);
      EXPECT_EQ(found.size(), kClasses);
      EXPECT_TRUE(std::is_sorted(best.begin(), best.end(),
                                 [](const auto& a, const auto& b) { return a.score > b.score; }));
    }
  }
  EvaluateOptions options;
  options.top_k = {1, kClasses, 5 * kClasses};
  const Evaluation evaluation = evaluate(model(), test_data(), options);
  EXPECT_EQ(evaluation.top.at(kClasses), 1.0);
  EXPECT_EQ(evaluation.top.at(5 * kClasses), 1.0);
}

TEST_P(EveryMethodApiThreads, ProbabilitiesOfAllClassesSumToOne) {
  if (!model().has_probabilities()) GTEST_SKIP() << "it has none";
  // With all classes candidates nothing is left to estimate.
  for (const Probability probability : {Probability::kExact, Probability::kEstimate}) {
    PredictOptions options;
    options.top_k = kClasses;
    options.probability = probability;
    const Predictor predictor(model(), options);
    for (std::size_t e = 0; e < 10; ++e) {
      double sum = 0.0;
      for (const Prediction& prediction : predictor.predict(features(e))) {
        sum += static_cast<double>(prediction.probability);
      }
      EXPECT_NEAR(sum, 1.0, 1e-5);
    }
  }
}

TEST_P(EveryMethodApiThreads, SaysTheSameOfAnExampleAloneAndInABatch) {
  PredictOptions options;
  options.top_k = 3;
  const auto together = predictions(model(), test_data(), options);
  options.threads = 1;
  expect_same_bits(predictions(model(), test_data(), options), together);
  const Predictor predictor(model(), options);
  ASSERT_EQ(together.size(), 3 * test_data().size());
  for (std::size_t e = 0; e < test_data().size(); ++e) {
    const auto alone = predictor.predict(features(e));
    ASSERT_EQ(alone.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      const Prediction& other = together[3 * e + i];
      ASSERT_EQ(alone[i].class_id, other.class_id) << "example " << e;
      // A row that is spread out is summed in another order.
      ASSERT_NEAR(alone[i].score, other.score, 1e-4F * (1.0F + std::abs(other.score)));
      ASSERT_NEAR(alone[i].probability, other.probability, 1e-4F);
    }
  }
}

TEST_P(EveryMethodApiThreads, SaysSomethingOfAnExampleWithoutFeatures) {
  PredictOptions options;
  options.top_k = 3;
  const auto best = Predictor(model(), options).predict(std::vector<Feature>{});
  ASSERT_EQ(best.size(), 3U);
  for (const Prediction& prediction : best) {
    EXPECT_TRUE(std::isfinite(prediction.score));
    EXPECT_TRUE(std::isfinite(prediction.probability));
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryMethodApiThreads, ::testing::ValuesIn(testing::method_rows()),
                         testing::RowName());

TEST(HierarchicalSoftmax, ItsProbabilitiesAreExactWhateverTheOptions) {
  for (const MethodRow& row : testing::method_rows()) {
    if (row.config.method != Method::kHsm) continue;
    const Model& model = model_of(row);
    PredictOptions options;
    options.probability = Probability::kExact;
    const auto exact = predictions(model, test_data(), options);
    for (const std::uint32_t beam : {1U, 4U, 20U}) {
      options.probability = Probability::kEstimate;
      options.noises = 1;
      options.beam = beam;
      const Predictor predictor(model, options);
      for (std::size_t e = 0; e < 30; ++e) {
        const Prediction best = predictor.predict(features(e))[0];
        EXPECT_NEAR(best.probability, std::exp(best.score), 1e-6F);
        if (best.class_id == exact[e].class_id) {
          EXPECT_NEAR(best.probability, exact[e].probability, 1e-5F);
        }
      }
    }
  }
}

// Workspaces belong to a predictor: models of other methods, used in between, must not disturb it.
TEST(PredictorsThreads, OfSeveralMethodsDoNotDisturbEachOther) {
  std::vector<std::unique_ptr<const Predictor>> predictors;
  std::vector<std::vector<Prediction>> expected;
  constexpr std::size_t kExamples = 10;
  for (const MethodRow& row : testing::method_rows()) {
    PredictOptions options;
    options.top_k = 2;
    predictors.push_back(std::make_unique<const Predictor>(model_of(row), options));
    const Predictor fresh(model_of(row), options);
    for (std::size_t e = 0; e < kExamples; ++e) expected.push_back(fresh.predict(features(e)));
  }
  const auto alternate = [&](std::size_t first) {
    for (std::size_t e = 0; e < kExamples; ++e) {
      for (std::size_t i = 0; i < predictors.size(); ++i) {
        const std::size_t which = (first + i) % predictors.size();
        expect_same_bits(predictors[which]->predict(features(e)), expected[which * kExamples + e]);
      }
    }
  };
  alternate(0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) threads.emplace_back(alternate, 3 * t);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
