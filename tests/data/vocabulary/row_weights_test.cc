#include "data/vocabulary/row_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/data_support.h"
#include "data/reader/featurizer.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_of;
using testing::load_string;
using testing::plain_options;
using testing::words_of;

constexpr const char* kText =
    "__label__a red red red apple\n__label__b green pear\n__label__b green apple\n";

DataOptions weighted(FeatureWeights weights, Normalize normalize = Normalize::kNone) {
  DataOptions options = plain_options();
  options.weights = weights;
  options.normalize = normalize;
  return options;
}

float rarity(double examples, double with_it) {
  return static_cast<float>(1.0 + std::log((1.0 + examples) / (1.0 + with_it)));
}

TEST(RowWeights, AreCountsUnlessAskedFor) {
  const LoadedData data = load_string(kText);
  EXPECT_EQ(words_of(data, 0), (std::map<std::string, float>{{"red", 3.0F}, {"apple", 1.0F}}));
  EXPECT_TRUE(data.vocabulary.factors.empty());
}

TEST(RowWeights, MakeOnesOfCounts) {
  const LoadedData data = load_string(kText, weighted(FeatureWeights::kBinary));
  EXPECT_EQ(words_of(data, 0), (std::map<std::string, float>{{"red", 1.0F}, {"apple", 1.0F}}));
}

TEST(RowWeights, CountRareFeaturesMore) {
  const LoadedData data = load_string(kText, weighted(FeatureWeights::kTfidf));
  const auto words = words_of(data, 0);
  EXPECT_FLOAT_EQ(words.at("red"), (1.0F + std::log(3.0F)) * rarity(3, 1));
  EXPECT_FLOAT_EQ(words.at("apple"), rarity(3, 2));
  // A line that is read later does not change what training counted.
  DataOptions later = plain_options();
  later.weights = FeatureWeights::kCount;
  const LoadedData test = load_string("__label__a red apple new\n", later, &data.vocabulary);
  EXPECT_FLOAT_EQ(words_of(test, 0).at("red"), rarity(3, 1));
}

TEST(RowWeights, ApplyToIndicesHashedWordsAndNgrams) {
  const LoadedData indices =
      load_string("a 1:2 900:0.5\nb 1:1\n", weighted(FeatureWeights::kTfidf));
  EXPECT_FLOAT_EQ(testing::row_of(indices, 0).at(1), 1.0F + std::log(2.0F));
  EXPECT_FLOAT_EQ(testing::row_of(indices, 0).at(900), 0.5F * rarity(2, 1)) << "no count";

  // One bucket for everything: each example has it once.
  DataOptions hashed = weighted(FeatureWeights::kTfidf);
  hashed.hash_bits = 1;
  for (const float factor : load_string(kText, hashed).vocabulary.factors) {
    EXPECT_GE(factor, 1.0F);
    EXPECT_LE(factor, rarity(3, 0));
  }
  DataOptions pairs = weighted(FeatureWeights::kTfidf);
  pairs.word_ngrams = 2;
  pairs.ngram_bits = 20;
  const LoadedData with_pairs = load_string(kText, pairs);
  std::map<float, int> ngrams;
  for (const auto& [feature, value] : testing::row_of(with_pairs, 0)) {
    if (feature >= with_pairs.vocabulary.words.size()) ++ngrams[value];
  }
  EXPECT_EQ(ngrams,
            (std::map<float, int>{{rarity(3, 1), 1}, {(1.0F + std::log(2.0F)) * rarity(3, 1), 1}}));
}

TEST(RowWeights, MakeRowsOfLengthOneUnlessToldNotTo) {
  for (const FeatureWeights weights : {FeatureWeights::kBinary, FeatureWeights::kTfidf}) {
    const LoadedData data = load_string(kText, weighted(weights, Normalize::kAuto));
    EXPECT_EQ(data.vocabulary.normalize, Normalize::kL2);
    float squares = 0.0F;
    for (const auto& [word, value] : words_of(data, 0)) squares += value * value;
    EXPECT_FLOAT_EQ(squares, 1.0F);
  }
  EXPECT_EQ(load_string(kText).vocabulary.normalize, Normalize::kNone);
}

TEST(RowWeights, LeaveFeaturesOfFactorZeroAlone) {
  Vocabulary vocabulary;
  vocabulary.factors = {0.0F, 2.0F};
  const std::vector<FeatureId> features = {0, 1};
  for (const auto& [weights, expected] :
       {std::pair(FeatureWeights::kTfidf, 2.0F), {FeatureWeights::kBinary, 1.0F}}) {
    vocabulary.weights = weights;
    std::vector<float> values = {-7.0F, 1.0F};
    RowWeights(vocabulary).apply(features, values);
    EXPECT_EQ(values, (std::vector<float>{-7.0F, expected}));
  }
}

TEST(RowWeights, RefuseNegativeValuesAndDenseRows) {
  const DataOptions options = weighted(FeatureWeights::kTfidf);
  EXPECT_EQ(error_of("a 1:2\nb 1:-1\n", options),
            "data.txt:2: the value -1 is below zero, but `weights` makes weights of counts; use "
            "`weights count`");
  EXPECT_THAT(error_of("a |n x:1\nb |n x:-2\n", options), ::testing::HasSubstr("below zero"));
  const testing::TemporaryFolder folder;
  const std::string matrix =
      folder.write("X_a.npy", testing::npy("<f4", "(2, 1)", testing::raw<float>({1.0F, 2.0F})));
  folder.write("y_a.npy", testing::npy("<i8", "(2,)", testing::raw<std::int64_t>({0, 1})));
  EXPECT_THAT(testing::error_of_file(matrix, options),
              ::testing::HasSubstr("`weights tfidf` is for sparse counts"));
  Vocabulary known = load_string("0 0:1\n1 0:2\n", options).vocabulary;
  EXPECT_THAT(testing::error_of_file(matrix, plain_options(), &known),
              ::testing::HasSubstr("give data of the kind the model was trained on"));
}

TEST(TokenizerInFiles, IsForTextAndKeptInTheVocabulary) {
  DataOptions options = plain_options();
  options.tokenizer = TokenizerKind::kWords;
  const LoadedData data = load_string("__label__A Red, apple\n__label__b pear?\n", options);
  EXPECT_EQ(data.vocabulary.labels, (std::vector<std::string>{"A", "b"}));
  EXPECT_EQ(data.vocabulary.words, (std::vector<std::string>{"red", ",", "apple", "pear", "?"}));
  const LoadedData test = load_string("__label__A RED ?\n", plain_options(), &data.vocabulary);
  EXPECT_EQ(words_of(test, 0), (std::map<std::string, float>{{"red", 1.0F}, {"?", 1.0F}}));
  const Featurizer featurizer(data.vocabulary);
  EXPECT_EQ(featurizer.featurize("RED?", Format::kAuto).features,
            featurizer.featurize("red ?", Format::kAuto).features);
  EXPECT_THAT(error_of("a |n X\nb |n y\n", options), ::testing::HasSubstr("nothing to cut"));
  EXPECT_THAT(error_of("a 1:1\nb 1:2\n", options),
              ::testing::HasSubstr("`tokenizer`: a file of format svm gives its features"));
}

TEST(MultiLabel, IsReadAsInTraining) {
  const std::string text = "__label__a __label__b x\n__label__a y\n";
  DataOptions options = plain_options();
  options.multi_label = MultiLabel::kEach;
  const Vocabulary each = load_string(text, options).vocabulary;
  EXPECT_EQ(load_string(text, plain_options(), &each).view.size(), 3U);
  options.multi_label = MultiLabel::kFirst;
  EXPECT_EQ(load_string(text, options, &each).view.size(), 2U) << "told otherwise";
  options.multi_label = MultiLabel::kError;
  EXPECT_THAT(error_of(text, options, &each), ::testing::HasSubstr("2 labels in one line"));
  DataOptions predicting = plain_options();
  predicting.require_labels = false;
  EXPECT_EQ(load_string(text, predicting, &each).view.size(), 2U) << "one answer for each line";
  EXPECT_THAT(error_of(text), ::testing::HasSubstr("2 labels in one line"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
