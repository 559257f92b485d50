#include <gtest/gtest.h>

#include <optional>

#include <cmath>

#include "cane/names.h"
#include "data/data_support.h"
#include "data/reader/formats.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::content_of;
using testing::labels_of;
using testing::load_string;
using testing::plain_options;
using testing::Row;
using testing::row_of;
using testing::words_of;
using Labels = std::vector<std::string>;
using Words = std::map<std::string, float>;

TEST(Svm, ReadsLabelsIndicesAndValues) {
  const LoadedData data = load_string(
      "cat 1:0.5 3:-2e1 # a comment 9:9\n"
      "\n"
      "# only a comment\n"
      "dog\r\n"
      "C# qid:7 0:1\t7:0.25 \n"
      "cat 12:1");
  EXPECT_EQ(labels_of(data), (Labels{"cat", "dog", "C#", "cat"}));
  EXPECT_EQ(data.vocabulary.labels, (Labels{"C#", "cat", "dog"}));
  EXPECT_EQ(data.view.dimension(), 13U);
  EXPECT_EQ(data.vocabulary.dimension, 13U);
  EXPECT_EQ(data.vocabulary.feature_kind, FeatureKind::kIndices);
  EXPECT_EQ(row_of(data, 0), (Row{{1, 0.5F}, {3, -20.0F}}));
  EXPECT_EQ(row_of(data, 1), Row{});
  EXPECT_EQ(row_of(data, 2), (Row{{0, 1.0F}, {7, 0.25F}}));
  EXPECT_FALSE(data.view.is_dense());
}

TEST(Svm, StoresMostlyFilledDataDense) {
  const LoadedData data = load_string("1 0:1 1:2 2:3\n2 1:5 2:6\n");
  EXPECT_TRUE(data.view.is_dense());
  EXPECT_EQ(row_of(data, 1), (Row{{0, 0.0F}, {1, 5.0F}, {2, 6.0F}}));
}

TEST(Svm, TakesLinesWithoutLabelsWhereNoneAreRequired) {
  DataOptions options = plain_options();
  options.require_labels = false;
  const LoadedData data = load_string("1:1\na 1:1 9:1\nb 2:1\n", options);
  EXPECT_EQ(labels_of(data), (Labels{"?", "a", "b"}));
  EXPECT_EQ(data.report.unseen_labels, 0U);
}

TEST(Svm, ScalesRowsToLengthOneAndKeepsZeroRows) {
  DataOptions options = plain_options();
  options.normalize = Normalize::kL2;
  const LoadedData data = load_string("a 1:3 2:4\nb 9:0\n", options);
  EXPECT_FLOAT_EQ(row_of(data, 0)[1], 0.6F);
  EXPECT_FLOAT_EQ(row_of(data, 0)[2], 0.8F);
  EXPECT_EQ(row_of(data, 1), (Row{{9, 0.0F}}));
  EXPECT_EQ(data.vocabulary.normalize, Normalize::kL2);
}

TEST(Vw, ReadsWeightsTagsNameSpacesAndScales) {
  const LoadedData data = load_string(
      "a |f x y:2\n"
      "b 2.5 'tag |g:0.5 x:3 | plain\n"
      "a 0 tag|f x x:1 | 13:4 x\n"
      "b 'tag|f z\n");
  EXPECT_EQ(labels_of(data), (Labels{"a", "b", "a", "b"}));
  EXPECT_EQ(words_of(data, 0), (Words{{"f^x", 1.0F}, {"f^y", 2.0F}}));
  EXPECT_EQ(words_of(data, 1), (Words{{"g^x", 1.5F}, {"plain", 1.0F}}));
  EXPECT_EQ(words_of(data, 2), (Words{{"f^x", 2.0F}, {"13", 4.0F}, {"x", 1.0F}}));
  EXPECT_EQ(data.view.weight(0), 1.0F);
  EXPECT_EQ(data.view.weight(1), 2.5F);
  EXPECT_EQ(data.view.weight(2), 0.0F);
  EXPECT_EQ(data.vocabulary.words, (Labels{"f^x", "f^y", "g^x", "plain", "13", "x", "f^z"}));
  EXPECT_EQ(data.vocabulary.feature_kind, FeatureKind::kWords);
}

TEST(FastText, CountsWords) {
  const LoadedData data = load_string("__label__x the cat the\n__label__y dog  cat\n");
  EXPECT_EQ(labels_of(data), (Labels{"x", "y"}));
  EXPECT_EQ(words_of(data, 0), (Words{{"the", 2.0F}, {"cat", 1.0F}}));
  EXPECT_EQ(words_of(data, 1), (Words{{"dog", 1.0F}, {"cat", 1.0F}}));
  EXPECT_EQ(data.vocabulary.words, (Labels{"the", "cat", "dog"}));
}

TEST(FastText, LeavesRareWordsOutWithoutReportingThem) {
  DataOptions options = plain_options();
  options.min_count = 2;
  options.normalize = Normalize::kL2;
  const LoadedData data =
      load_string("__label__x once the the\n__label__y cat\n__label__x cat\n", options);
  EXPECT_EQ(data.vocabulary.words, (Labels{"the", "cat"}));
  EXPECT_EQ(words_of(data, 0), (Words{{"the", 1.0F}})) << "normalised without the rare word";
  EXPECT_EQ(data.report.ignored_features, 0U);
}

TEST(FastText, HashesWordsAndAddsUpEqualHashes) {
  DataOptions options = plain_options();
  options.hash_bits = 1;
  const LoadedData data = load_string("__label__x a b c d e\n__label__y a a\n", options);
  EXPECT_EQ(data.view.dimension(), 2U);
  EXPECT_EQ(data.vocabulary.feature_kind, FeatureKind::kHashedWords);
  EXPECT_TRUE(data.vocabulary.words.empty());
  float total = 0.0F;
  for (const auto& [feature, value] : row_of(data, 0)) total += value;
  EXPECT_EQ(total, 5.0F);
  const Row second = row_of(data, 1);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second.begin()->second, 2.0F);
}

TEST(FastText, TreatsSeveralLabelsAsAsked) {
  const char* const text = "__label__x __label__y a\n__label__z b\n";
  EXPECT_EQ(testing::error_of(text),
            "data.txt:1: 2 labels in one line; choose with `multi_label`: first takes the first "
            "one, each makes an example of each");
  DataOptions options = plain_options();
  options.multi_label = MultiLabel::kFirst;
  EXPECT_EQ(labels_of(load_string(text, options)), (Labels{"x", "z"}));
  options.multi_label = MultiLabel::kEach;
  const LoadedData data = load_string(text, options);
  EXPECT_EQ(labels_of(data), (Labels{"x", "y", "z"}));
  EXPECT_EQ(row_of(data, 0), row_of(data, 1));
  EXPECT_EQ(data.view.weight(0), 0.5F);
  EXPECT_EQ(data.view.weight(1), 0.5F);
  EXPECT_EQ(data.view.weight(2), 1.0F);
}

TEST(Xmc, ReadsHeaderLabelListsAndRowsWithoutLabels) {
  DataOptions options = plain_options();
  options.require_labels = false;
  options.multi_label = MultiLabel::kEach;
  const LoadedData data = load_string("3 10 20\n1,02 0:1 9:2\n 3:1\n19 4:1\n", options);
  EXPECT_EQ(labels_of(data), (Labels{"1", "2", "?", "19"}));
  EXPECT_EQ(data.view.dimension(), 10U);
  EXPECT_EQ(row_of(data, 1), (Row{{0, 1.0F}, {9, 2.0F}}));
  EXPECT_EQ(row_of(data, 2), (Row{{3, 1.0F}}));
  EXPECT_EQ(data.view.weight(1), 0.5F);
}

std::optional<Format> recognised(std::string_view line, bool is_first = true) {
  const TextFormat* const format = recognise_line(line, is_first);
  return format == nullptr ? std::nullopt : std::optional(format->format);
}

TEST(Formats, AreRecognisedFromALine) {
  EXPECT_EQ(recognised("3 10 20"), Format::kXmc);
  EXPECT_EQ(recognised("3 10 20", false), std::nullopt);
  EXPECT_EQ(recognised("a 1:2"), Format::kSvm);
  EXPECT_EQ(recognised("1:2 # x|y"), Format::kSvm);
  EXPECT_EQ(recognised("1 1:2 # __label__x"), Format::kSvm);
  EXPECT_EQ(recognised("a qid:3 1:nan"), Format::kSvm);
  EXPECT_EQ(recognised("a 2 |f 1:2"), Format::kVw);
  EXPECT_EQ(recognised("|x"), Format::kVw);
  EXPECT_EQ(recognised("__label__x a | b"), Format::kFastText);
  EXPECT_EQ(recognised("__label__x 1:2"), Format::kFastText);
  EXPECT_EQ(recognised("some words, then __label__x"), Format::kFastText);
  EXPECT_EQ(recognised("a"), std::nullopt);
  EXPECT_EQ(recognised("some words"), std::nullopt);
}

TEST(Formats, HaveARowEach) {
  for (const auto& [format, name, summary] : named_values<Format>()) {
    const bool is_text = format != Format::kAuto && format != Format::kNpy;
    if (is_text) {
      EXPECT_EQ(text_format(format).format, format) << name;
    } else {
      EXPECT_THROW(text_format(format), Error) << name;
    }
  }
}

TEST(Formats, AreThoseOfTheKnownFeaturesWhereTheTextShowsNone) {
  const Vocabulary words = load_string("__label__a x\n__label__b y\n").vocabulary;
  const Vocabulary indices = load_string("a 1:1\nb 2:1\n").vocabulary;
  DataOptions options = plain_options();
  options.require_labels = false;
  EXPECT_EQ(row_of(load_string("y x y\n", options, &words), 0), (Row{{0, 1.0F}, {1, 2.0F}}));
  EXPECT_EQ(labels_of(load_string("b\n", options, &indices)), Labels{"b"});
}

TEST(Formats, AreTakenAsGiven) {
  DataOptions options = plain_options();
  options.format = Format::kFastText;
  const LoadedData data = load_string("__label__a 1:2\n__label__b 3 | 4\n", options);
  EXPECT_EQ(words_of(data, 1), (Words{{"3", 1.0F}, {"|", 1.0F}, {"4", 1.0F}}));
}

TEST(Formats, ReadTheSameCompressedOrWithOtherLineEnds) {
  const std::string text = "a 1:1\nb 7:2\n";
  const testing::Content expected = content_of(load_string(text));
  for (const char* const compression : testing::kCompressions) {
    EXPECT_EQ(content_of(load_string(testing::compressed(text, compression))), expected)
        << compression;
  }
  EXPECT_EQ(content_of(load_string("a 1:1\r\nb 7:2\r\n")), expected);
  EXPECT_EQ(content_of(load_string("a 1:1\nb 7:2")), expected);
  EXPECT_EQ(content_of(load_string("\xEF\xBB\xBF"
                                   "a 1:1\nb 7:2\n")),
            expected);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
