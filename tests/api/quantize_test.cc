// What quantize() promises, for every method.
#include "cane/quantize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cane/cane.h"
#include "support/error_text.h"
#include "support/method_rows.h"
#include "support/training_files.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_text;
using testing::MethodRow;
using testing::TrainingFiles;

Model trained(TrainConfig config) {
  config.epochs = 2;
  config.threads = 2;
  config.deterministic = true;
  if (config.method == Method::kOve) config.lr = 0.01F;
  return train(TrainingFiles::shared().train(), config).model;
}

/// Trained once for all tests of a row.
const Model& model_of(const MethodRow& row) {
  static std::map<std::string, Model> models;
  auto found = models.find(row.name);
  if (found == models.end()) found = models.emplace(row.name, trained(row.config)).first;
  return found->second;
}

std::vector<Prediction> predictions(const Model& model) {
  PredictOptions options;
  options.threads = 1;
  std::vector<Prediction> all;
  Predictor(model, options)
      .predict(TrainingFiles::shared().test(),
               [&](std::size_t, std::span<const Prediction> best) { all.push_back(best.front()); });
  return all;
}

class EveryMethodQuantized : public ::testing::TestWithParam<MethodRow> {};
INSTANTIATE_TEST_SUITE_P(Rows, EveryMethodQuantized, ::testing::ValuesIn(testing::method_rows()),
                         testing::RowName());

TEST_P(EveryMethodQuantized, PredictsAsBefore) {
  const auto expected = predictions(model_of(GetParam()));
  for (const std::uint32_t bits : {8U, 16U}) {
    const auto found = predictions(quantize(model_of(GetParam()), {bits}).model);
    ASSERT_EQ(found.size(), expected.size());
    std::size_t differ = 0;
    for (std::size_t e = 0; e < found.size(); ++e) {
      differ += found[e].class_id == expected[e].class_id ? 0 : 1;
    }
    EXPECT_LE(differ, bits == 8 ? expected.size() / 25 : expected.size() / 100) << bits << " bits";
  }
}

TEST_P(EveryMethodQuantized, IsTheSameFromItsFile) {
  for (const QuantizeOptions& options : {QuantizeOptions{8}, QuantizeOptions{16}}) {
    const Model made = quantize(model_of(GetParam()), options).model;
    const std::string path = TrainingFiles::shared().folder().path("small");
    made.save(path);
    const Model read = Model::load(path);
    EXPECT_TRUE(read.is_quantized());
    EXPECT_EQ(read.description(), made.description());
    const auto expected = predictions(made);
    const auto found = predictions(read);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t e = 0; e < found.size(); ++e) {
      ASSERT_EQ(found[e].class_id, expected[e].class_id);
      ASSERT_EQ(found[e].score, expected[e].score);
      ASSERT_EQ(found[e].probability, expected[e].probability);
    }
  }
}

TEST_P(EveryMethodQuantized, TakesLessMemoryForItsWeights) {
  const Model& model = model_of(GetParam());
  const Model small = quantize(model).model;
  const Model middle = quantize(model, {16}).model;
  EXPECT_LT(small.weight_bytes(), middle.weight_bytes());
  EXPECT_LT(middle.weight_bytes(), model.weight_bytes());
}

const Model& any_model() {
  static const Model model = trained(TrainingFiles::config());
  return model;
}

TEST(Quantize, CountsTheWeightsThatWereRoundedToZero) {
  const double zeros = quantize(any_model(), {8}).zeros;
  EXPECT_GT(zeros, 0.0);
  EXPECT_LT(zeros, 0.5);
  EXPECT_LT(quantize(any_model(), {16}).zeros, zeros);
}

TEST(Quantize, RefusesOptionsThatCannotBe) {
  EXPECT_THAT(error_text([] { quantize(any_model(), {4}); }), ::testing::HasSubstr("`bits`"));
  EXPECT_THAT(error_text([] { quantize(quantize(any_model()).model); }),
              ::testing::HasSubstr("already"));
}

TEST(Quantize, SaysWhatItIs) {
  const auto line = [](const Model& model) {
    for (const auto& [name, value] : model.description()) {
      if (name == "quantized") return value;
    }
    return std::string();
  };
  EXPECT_EQ(line(any_model()), "");
  EXPECT_THAT(line(quantize(any_model()).model), ::testing::HasSubstr("8 bits"));
  EXPECT_FALSE(any_model().is_quantized());
}

TEST(Quantize, GivesNothingToTrainFurther) {
  const std::string path = TrainingFiles::shared().folder().path("m.checkpoint");
  quantize(any_model()).model.save(path);
  TrainConfig config = TrainingFiles::config();
  config.checkpoint_path = path;
  config.resume = true;
  EXPECT_THAT(error_text([&] { train(TrainingFiles::shared().train(), config); }),
              ::testing::HasSubstr("quantized model cannot"));
  const Model small = Model::load(path);
  DataOptions options = TrainingFiles::shared().options();
  options.add_labels = true;
  const Dataset data = Dataset::load(TrainingFiles::shared().test_path(), small, options);
  EXPECT_THAT(error_text([&] { continue_training(small, data, small.config()); }),
              ::testing::HasSubstr("quantized model cannot"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
