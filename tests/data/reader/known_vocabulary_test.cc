#include <gtest/gtest.h>

#include <cmath>

#include "data/data_support.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::load_string;
using testing::plain_options;
using testing::Row;
using testing::row_of;
using Labels = std::vector<std::string>;

TEST(KnownVocabulary, MapsLabelsAndCountsUnseenOnes) {
  const LoadedData train = load_string("a 1:1\nb 9:1\n");
  const LoadedData test =
      load_string("b 1:1\nz 2:1\ny 2:1\nz 3:1\n", plain_options(), &train.vocabulary);
  EXPECT_EQ(testing::labels_of(test), (Labels{"b", "?", "?", "?"}));
  EXPECT_EQ(test.report.unseen_labels, 3U);
  EXPECT_EQ(test.report.unseen_label_names, (Labels{"z", "y"}));
  EXPECT_EQ(test.vocabulary, train.vocabulary);
}

TEST(KnownVocabulary, DropsAndCountsIndicesBeyondTheDimension) {
  const LoadedData train = load_string("a 1:1\nb 9:1\n");
  const LoadedData test =
      load_string("b 1:1 9:2 10:3 11:4\na 50:1\n", plain_options(), &train.vocabulary);
  EXPECT_EQ(test.view.dimension(), 10U);
  EXPECT_EQ(row_of(test, 0), (Row{{1, 1.0F}, {9, 2.0F}}));
  EXPECT_EQ(row_of(test, 1), Row{});
  EXPECT_EQ(test.report.ignored_features, 3U);
}

TEST(KnownVocabulary, DropsAndCountsUnknownWordsBeforeNormalising) {
  DataOptions options = plain_options();
  options.normalize = Normalize::kL2;
  const LoadedData train = load_string("__label__a x y\n__label__b z\n", options);
  const LoadedData test =
      load_string("__label__b z new new x x\n", plain_options(), &train.vocabulary);
  EXPECT_EQ(test.report.ignored_features, 2U);
  const auto words = testing::words_of(test, 0);
  ASSERT_EQ(words.size(), 2U);
  EXPECT_FLOAT_EQ(words.at("x"), 2.0F / std::sqrt(5.0F));
  EXPECT_FLOAT_EQ(words.at("z"), 1.0F / std::sqrt(5.0F));
}

TEST(KnownVocabulary, HashesAsTrainingDid) {
  DataOptions options = plain_options();
  options.hash_bits = 20;
  const LoadedData train = load_string("__label__a x y\n__label__b z\n", options);
  const LoadedData test = load_string("__label__b x y\n", plain_options(), &train.vocabulary);
  EXPECT_EQ(row_of(test, 0), row_of(train, 0));
}

TEST(KnownVocabulary, RefusesFeaturesOfAnotherKind) {
  const Vocabulary indices = load_string("a 1:1\nb 9:1\n").vocabulary;
  const Vocabulary words = load_string("a | x\nb | y\n").vocabulary;
  EXPECT_EQ(testing::error_of("a | x\n", plain_options(), &indices),
            "data.txt: the features are words, but the model was trained on indices; give data of "
            "the kind it was trained on");
  EXPECT_EQ(testing::error_of("a 1:1\n", plain_options(), &words),
            "data.txt: the features are indices, but the model was trained on words; give data of "
            "the kind it was trained on");
}

TEST(KnownVocabulary, TakesASingleClass) {
  const LoadedData train = load_string("a 1:1\nb 9:1\n");
  EXPECT_EQ(load_string("a 1:1\n", plain_options(), &train.vocabulary).view.size(), 1U);
}

TEST(KnownVocabulary, CountsExamplesWithoutAnyKnownFeature) {
  const Vocabulary known = testing::load_string("__label__a x y\n__label__b z\n").vocabulary;
  const LoadedData data = testing::load_string(
      "__label__a new words\n__label__b z new\n__label__b\n", testing::plain_options(), &known);
  EXPECT_EQ(data.report.empty_examples, 2U);
  EXPECT_EQ(data.view.size(), 3U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
