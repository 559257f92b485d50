// N-grams as features of a text: where they lie, what is left of unknown words, what is kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "data/data_support.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_of;
using testing::load_string;
using testing::plain_options;
using testing::Row;
using testing::row_of;

DataOptions with_ngrams(std::uint32_t words, CharNgrams characters, std::uint32_t bits = 20) {
  DataOptions options = plain_options();
  options.word_ngrams = words;
  options.char_ngrams = characters;
  options.ngram_bits = bits;
  return options;
}

// Those behind the dictionary.
Row ngrams_of(const LoadedData& data, std::size_t example) {
  Row row;
  for (const auto& [feature, value] : row_of(data, example)) {
    if (feature >= data.vocabulary.words.size()) row[feature] = value;
  }
  return row;
}

float sum_of(const Row& row) {
  return std::accumulate(row.begin(), row.end(), 0.0F,
                         [](float sum, const auto& feature) { return sum + feature.second; });
}

TEST(Ngrams, LieBehindTheDictionary) {
  const LoadedData data = load_string("__label__a x y z\n__label__b z\n", with_ngrams(2, {}, 10));
  EXPECT_EQ(data.vocabulary.words, (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ(data.view.dimension(), 3U + 1024U);
  EXPECT_EQ(row_of(data, 0).size(), 5U);
  EXPECT_EQ(ngrams_of(data, 0).size(), 2U);
  EXPECT_EQ(row_of(data, 1), (Row{{2, 1.0F}}));
}

TEST(Ngrams, HaveADictionaryOfThoseThatComeTwice) {
  const std::string text = "__label__a x y x z\n__label__b x y x\n__label__b z z\n";
  DataOptions options = with_ngrams(2, {}, 0);
  const LoadedData data = load_string(text, options);
  EXPECT_EQ(data.view.dimension(), 3U + 2U) << "x y and y x, neither x z nor z z";
  EXPECT_EQ(data.vocabulary.ngrams, (Ngrams{2, {}, 0}));
  EXPECT_EQ(ngrams_of(data, 0), (Row{{3, 1.0F}, {4, 1.0F}}));
  EXPECT_EQ(ngrams_of(data, 2), Row{});
  options.ngram_count = 1;
  EXPECT_EQ(load_string(text, options).view.dimension(), 3U + 4U);
  options.ngram_count = 3;
  EXPECT_EQ(load_string(text, options).view.dimension(), 3U);
  // The hashes that hashed n-grams have: one feature falls where its first bits say.
  const LoadedData hashed = load_string(text, with_ngrams(2, {}, 16));
  for (const auto& [feature, value] : ngrams_of(hashed, 1)) {
    const auto& hashes = data.vocabulary.ngram_hashes;
    EXPECT_EQ(
        std::count_if(hashes.begin(), hashes.end(),
                      [number = feature - 3](std::uint64_t hash) { return hash >> 48 == number; }),
        1);
  }
}

TEST(Ngrams, OfADictionaryThatTestDataLacksAreNoUnknownWords) {
  const Vocabulary known =
      load_string("__label__a x y x y\n__label__b z\n", with_ngrams(2, {}, 0)).vocabulary;
  const LoadedData test = load_string("__label__a y z x y new\n", plain_options(), &known);
  EXPECT_EQ(test.report.ignored_features, 1U);
  EXPECT_EQ(sum_of(ngrams_of(test, 0)), 1.0F);
}

TEST(Ngrams, ThatComeAgainAreSummed) {
  const LoadedData data = load_string("__label__a x y x y x\n__label__b z\n", with_ngrams(2, {}));
  const Row ngrams = ngrams_of(data, 0);
  EXPECT_EQ(ngrams.size(), 2U);
  EXPECT_EQ(sum_of(ngrams), 4.0F);
}

TEST(Ngrams, OfRareWordsStay) {
  DataOptions options = with_ngrams(2, {3, 3});
  const std::string text = "__label__a common rare\n__label__b common\n";
  const LoadedData all = load_string(text, options);
  options.min_count = 2;
  const LoadedData frequent = load_string(text, options);
  EXPECT_EQ(frequent.vocabulary.words, std::vector<std::string>{"common"});
  EXPECT_EQ(ngrams_of(all, 0).size(), 6U + 4U + 1U);
  EXPECT_EQ(ngrams_of(frequent, 0).size(), 6U + 4U + 1U);
}

TEST(Ngrams, ShareTheFeaturesOfHashedWords) {
  DataOptions options = with_ngrams(2, {3, 3}, 0);
  options.hash_bits = 20;
  const LoadedData data = load_string("__label__a one two\n__label__b one\n", options);
  EXPECT_EQ(data.view.dimension(), 1U << 20);
  EXPECT_EQ(row_of(data, 0).size(), 2U + 3U + 3U + 1U);
  options = plain_options();
  options.hash_bits = 20;
  const LoadedData words = load_string("__label__a one two\n__label__b one\n", options);
  for (const auto& [feature, value] : row_of(words, 0)) {
    EXPECT_TRUE(row_of(data, 0).contains(feature)) << "words stay where they were";
  }
}

TEST(Ngrams, OfUnseenWordsAreThoseOfSeenOnes) {
  const LoadedData train =
      load_string("__label__a walking\n__label__b b\n", with_ngrams(1, {3, 4}));
  const LoadedData test =
      load_string("__label__a talking\n__label__b zzzz\n", plain_options(), &train.vocabulary);
  EXPECT_EQ(test.report.ignored_features, 2U) << "the words themselves";
  EXPECT_EQ(test.report.empty_examples, 0U);
  const Row seen = ngrams_of(train, 0);
  std::size_t common = 0;
  for (const auto& [feature, value] : ngrams_of(test, 0)) common += seen.count(feature);
  // alk lki kin ing ng> and alki lkin king ing>
  EXPECT_EQ(common, 9U);
}

TEST(Ngrams, AreNormalisedWithTheWholeRow) {
  DataOptions options = with_ngrams(2, {});
  options.normalize = Normalize::kL2;
  const LoadedData data = load_string("__label__a x y\n__label__b z\n", options);
  for (const auto& [feature, value] : row_of(data, 0)) {
    EXPECT_FLOAT_EQ(value, 1.0F / std::sqrt(3.0F));
  }
}

TEST(Ngrams, OfVowpalWabbitStayWithinANameSpace) {
  const LoadedData data = load_string("a |one x y |two z\nb |one x:0.5 y\n", with_ngrams(3, {}));
  EXPECT_EQ(ngrams_of(data, 0).size(), 1U);
  const Row scaled = ngrams_of(data, 1);
  ASSERT_EQ(scaled.size(), 1U);
  EXPECT_EQ(scaled.begin()->first, ngrams_of(data, 0).begin()->first);
  EXPECT_EQ(scaled.begin()->second, 0.5F);
}

TEST(Ngrams, CountWhenTheValuesOfALineAreAddedUp) {
  const std::string text = "a | xxxxxxxx:4e18\nb | y\n";
  EXPECT_EQ(load_string(text).view.size(), 2U);
  EXPECT_THAT(error_of(text, with_ngrams(1, {3, 3})),
              ::testing::HasSubstr("add up to more than a float holds"));
  DataOptions options = with_ngrams(1, {3, 3});
  options.on_error = OnError::kSkip;
  const LoadedData data = load_string(text + "c | z\n", options);
  EXPECT_EQ(data.vocabulary.words, (std::vector<std::string>{"y", "z"}));
}

TEST(Ngrams, ComeOutOfTheCacheAsTheyWere) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("text", "__label__a one two\n__label__b two three\n");
  DataOptions options = with_ngrams(2, {2, 5}, 12);
  options.use_cache = true;
  options.cache_directory = folder.path("cache");
  const LoadedData first = load_data(path, options);
  const LoadedData again = load_data(path, options);
  EXPECT_FALSE(first.report.from_cache);
  EXPECT_TRUE(again.report.from_cache);
  EXPECT_EQ(again.vocabulary.ngrams, (Ngrams{2, {2, 5}, 12}));
  EXPECT_EQ(testing::content_of(again), testing::content_of(first));
  options.ngram_bits = 0;
  options.weights = FeatureWeights::kTfidf;
  const LoadedData dictionary = load_data(path, options);
  EXPECT_FALSE(dictionary.vocabulary.ngram_hashes.empty());
  EXPECT_EQ(testing::content_of(load_data(path, options)), testing::content_of(dictionary));
  options.ngram_count = 1;
  EXPECT_FALSE(load_data(path, options).report.from_cache);
}

TEST(Ngrams, AreRefusedWithoutWords) {
  EXPECT_THAT(error_of("a 1:1\n", with_ngrams(2, {}, 0)),
              ::testing::HasSubstr("`word_ngrams` is for word formats"));
  EXPECT_THAT(error_of("a 1:1\n", with_ngrams(1, {3, 5}, 0)),
              ::testing::HasSubstr("`char_ngrams` is for word formats"));
}

TEST(Ngrams, AreRefusedForMatrices) {
  const testing::TemporaryFolder folder;
  const std::string path =
      folder.write("X.npy", testing::npy("<f4", "(1, 1)", testing::raw<float>({1.0F})));
  EXPECT_THAT(testing::error_of_file(path, with_ngrams(1, {}, 9)),
              ::testing::HasSubstr("`ngram_bits` is for word formats"));
}

TEST(Ngrams, AreRefusedWhenTheyMakeNoSense) {
  const auto message = [](const DataOptions& options) { return error_of("a | x\n", options); };
  EXPECT_THAT(message(with_ngrams(9, {})), ::testing::HasSubstr("to 8"));
  EXPECT_THAT(message(with_ngrams(2, {5, 3})), ::testing::HasSubstr("`char_ngrams 5-3`"));
  EXPECT_THAT(message(with_ngrams(1, {0, 3})), ::testing::HasSubstr("`char_ngrams 0-3`"));
  EXPECT_THAT(message(with_ngrams(1, {3, 17})), ::testing::HasSubstr("from 1 to 16"));
  EXPECT_THAT(message(with_ngrams(2, {}, 31)), ::testing::HasSubstr("`ngram_bits 31`"));
  EXPECT_THAT(message(with_ngrams(1, {}, 10)), ::testing::HasSubstr("no n-grams"));
  DataOptions both = with_ngrams(2, {}, 10);
  both.hash_bits = 10;
  EXPECT_THAT(message(both), ::testing::HasSubstr("share the features of the words"));
  DataOptions counted = with_ngrams(2, {}, 10);
  counted.ngram_count = 3;
  EXPECT_THAT(message(counted), ::testing::HasSubstr("but these are hashed"));
  counted = with_ngrams(1, {}, 0);
  counted.ngram_count = 3;
  EXPECT_THAT(message(counted), ::testing::HasSubstr("no n-grams to count"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
