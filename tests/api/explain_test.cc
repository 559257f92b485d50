#include "cane/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cane/predict.h"
#include "cane/train.h"
#include "data/text/feature_names.h"
#include "support/error_text.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ExplainTest : public ::testing::Test {
 protected:
  Model trained(const TrainConfig& config) const {
    DataOptions options;
    options.use_cache = false;
    options.word_ngrams = 2;
    const std::string text =
        "__label__a good day all\n__label__b bad day all\n__label__c cold night\n";
    const std::string path = folder_.write("data.ft", text + text);
    return train(Dataset::load(path, options), config).model;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(ExplainTest, AddsUpToTheScoresOfBothAnswers) {
  TrainConfig config;
  config.method = Method::kSoftmax;
  for (const EncoderKind encoder : {EncoderKind::kIdentity, EncoderKind::kBag}) {
    config.encoder = encoder;
    const Model model = trained(config);
    PredictOptions options;
    options.top_k = 2;
    const auto best = Predictor(model, options).predict("good day");
    const Explanation explanation = Explainer(model).explain("good day");
    EXPECT_EQ(explanation.first_class, best[0].class_id);
    EXPECT_EQ(explanation.second_class, best[1].class_id);
    float first = 0.0F;
    float second = 0.0F;
    std::vector<std::string> names;
    for (const Contribution& one : explanation.contributions) {
      first += one.first;
      second += one.second;
      names.push_back(one.feature);
    }
    EXPECT_NEAR(first, best[0].score, 1e-4);
    EXPECT_NEAR(second, best[1].score, 1e-4);
    EXPECT_THAT(names, ::testing::UnorderedElementsAre("good", "day", "good day", "(bias)"));
  }
}

TEST_F(ExplainTest, RefusesWhatIsNoSum) {
  TrainConfig config;
  config.method = Method::kHsm;
  EXPECT_THAT(testing::error_text([&] { Explainer(trained(config)); }),
              HasSubstr("hsm decides step by step in a tree"));
}

TEST(NgramTexts, AreInTheOrderOfTheirHashes) {
  const std::vector<WordFeature> words = {{"", "ab", 1.0F}, {"", "\u00e9", 1.0F}, {"n", "c", 1.0F}};
  Ngrams ngrams;
  ngrams.words = 3;
  ngrams.characters = {1, 3};
  const std::vector<std::string> texts = ngram_texts(words, ngrams);
  EXPECT_THAT(texts, ElementsAre("ab \u00e9", "<a", "<ab", "a", "ab", "ab>", "b", "b>", "<\u00e9",
                                 "<\u00e9>", "\u00e9", "\u00e9>", "n^<c", "n^<c>", "n^c", "n^c>"));
  std::vector<std::uint64_t> hashes;
  std::vector<float> values;
  NgramHasher(ngrams).append(words, hashes, values);
  EXPECT_EQ(hashes.size(), texts.size());
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
