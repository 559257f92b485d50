// Text features that a model keeps: tokenizer, weights and what is done with several labels.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cane/predict.h"
#include "cane/train.h"
#include "core/file/safetensors.h"
#include "data/loaded_data.h"
#include "model/model_data.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr const char* kText =
    "__label__balance What is my balance?\n"
    "__label__balance Show the balance, please!\n"
    "__label__limit What's my credit limit?\n"
    "__label__limit How high is the limit ?\n"
    "__label__card I lost my card.\n"
    "__label__card Please block the card: it is lost\n";

class TextFeatures : public ::testing::Test {
 protected:
  // A model that was saved and loaded.
  Model model_of(const DataOptions& options) {
    const Dataset data = Dataset::load(folder_.write("train", kText), options);
    TrainConfig config;
    config.threads = 1;
    config.epochs = 20;
    train(data, config).model.save(path_);
    Model model = Model::load(path_);
    EXPECT_EQ(model.data().vocabulary, data.data().vocabulary);
    return model;
  }
  static DataOptions words() {
    DataOptions options;
    options.use_cache = false;
    options.tokenizer = TokenizerKind::kWords;
    options.weights = FeatureWeights::kTfidf;
    return options;
  }

  testing::TemporaryFolder folder_;
  std::string path_ = folder_.path("model");
};

TEST_F(TextFeatures, GiveTheSameAnswerHoweverASentenceIsTyped) {
  const Model model = model_of(words());
  const Predictor predictor(model);
  const std::vector<Prediction> expected = predictor.predict("What is my balance?");
  EXPECT_EQ(predictor.label(expected.front().class_id), "balance");
  const std::vector<std::string> ways = {"what is my balance ?", "WHAT IS MY BALANCE ?",
                                         "  What is\tmy balance?\n"};
  std::string lines;
  for (const std::string& way : ways) {
    const std::vector<Prediction> found = predictor.predict(way);
    EXPECT_EQ(found.front().class_id, expected.front().class_id) << way;
    EXPECT_EQ(found.front().score, expected.front().score) << way;
    lines += way.substr(0, way.find('\n')) + "\n";
  }
  std::size_t answers = 0;
  DataOptions reading;
  reading.require_labels = false;
  predictor.predict_stream(folder_.write("lines", lines), reading, [&](const RowAnswer& answer) {
    EXPECT_EQ(answer.best.front().score, expected.front().score);
    ++answers;
  });
  EXPECT_EQ(answers, ways.size());
}

TEST_F(TextFeatures, WeightFeaturesThatAreGivenByTheirNumbers) {
  const Model model = model_of(words());
  const Predictor predictor(model);
  const std::vector<std::string>& names = model.data().vocabulary.words;
  std::vector<Feature> features;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    if (names[i] == "limit" || names[i] == "high") features.push_back({i, 1.0F});
  }
  EXPECT_EQ(predictor.predict(features).front().score,
            predictor.predict("high limit").front().score);
}

// Version 0.1 reads files of version 2, and would take counts for the weights.
TEST_F(TextFeatures, AreInAFileThatOlderProgramsRefuse) {
  const auto version = [&] { return SafetensorsFile(path_).metadata("cane.format_version"); };
  model_of(words());
  EXPECT_EQ(version(), "3");
  DataOptions plain = words();
  plain.weights = FeatureWeights::kCount;
  plain.tokenizer = TokenizerKind::kSpaces;
  model_of(plain);
  EXPECT_EQ(version(), "2");
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
