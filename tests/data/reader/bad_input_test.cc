#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/bad_line.h"
#include "data/data_support.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_of;
using testing::load_string;
using testing::plain_options;
using testing::skipping_options;
using Labels = std::vector<std::string>;

DataOptions of_format(Format format) {
  DataOptions options = plain_options();
  options.format = format;
  return options;
}

TEST(BadInput, NamesFileAndLineInEveryFormat) {
  EXPECT_EQ(error_of(""),
            "data.txt: there are no examples, the file is empty; give a file with "
            "data");
  EXPECT_EQ(error_of("\n \n"), error_of(""));
  EXPECT_EQ(error_of("# nothing\n", of_format(Format::kSvm)),
            "data.txt: there are no examples; give a file with data");
  EXPECT_EQ(error_of("\nwhat is this\n"),
            "data.txt:2: the format is not recognised; name it with `format` "
            "(auto|svm|vw|fasttext|xmc|npy|csv|tsv|jsonl)");
  EXPECT_EQ(error_of(std::string_view("a 1:1\n\x01\0\xFF\x02 1:1\n", 14)),
            "data.txt:2: byte 0x01 at column 1 does not belong into text; the file may be damaged "
            "or binary");
  EXPECT_EQ(error_of("a 1:1\na 2:2\n"),
            "data.txt: the only class is 'a', but there must be at least 2 to tell apart; give "
            "data with more");
  EXPECT_EQ(error_of("a\nb\n", of_format(Format::kSvm)),
            "data.txt: there is no feature to learn from; check the file");
  EXPECT_THAT(testing::error_of_file("/nowhere/to/be/found"), ::testing::HasSubstr("cannot open"));
}

TEST(BadInput, OfSvmIsNamedWithFileAndLine) {
  EXPECT_EQ(error_of("a 1:1\n1:1 2:3\n"),
            "data.txt:2: there is no label; write it at the start of the line");
  EXPECT_EQ(error_of("a 2147483648:1\n"),
            "data.txt:1: feature index '2147483648' is out of range; indices must be from 0 to "
            "2147483647 here");
  EXPECT_EQ(error_of("a -1:1\n"),
            "data.txt:1: feature index '-1' is out of range; indices must be from 0 to 2147483647 "
            "here");
  EXPECT_EQ(error_of("\na 5:1 3:1\n"),
            "data.txt:2: feature index 3 after 5: indices must increase; sort each line's features "
            "and write each only once");
  EXPECT_EQ(error_of("a 5:1 5:1\n").substr(0, 36), "data.txt:1: feature index 5 after 5:");
  for (const char* value : {"nan", "inf", "1e99", "x", "", "1:2"}) {
    EXPECT_EQ(error_of(std::string("a 3:") + value + " 4:1\n"),
              std::string("data.txt:1: value '") + value +
                  "' of feature 3 is not a finite number; correct it, or pass such lines over "
                  "with `on_error skip`");
  }
  EXPECT_EQ(error_of("a 1:1\nb word 2:1\n"),
            "data.txt:2: 'word' is not a feature; write features as index:value, separated by "
            "blanks");
}

TEST(BadInput, OfVowpalWabbitIsNamedWithFileAndLine) {
  const DataOptions options = of_format(Format::kVw);
  EXPECT_THAT(error_of("a b c\n", options), ::testing::HasSubstr("data.txt:1: there is no '|'"));
  EXPECT_THAT(error_of("a -1 |x\n"), ::testing::HasSubstr("weight '-1' is not"));
  EXPECT_THAT(error_of("a inf |x\n"), ::testing::HasSubstr("weight 'inf' is not"));
  EXPECT_THAT(error_of("a 1 2 |x\n"),
              ::testing::HasSubstr("'2' before the bar is one word too many"));
  EXPECT_THAT(error_of("|x\n"), ::testing::HasSubstr("there is no label"));
  EXPECT_THAT(error_of("a|x\n"), ::testing::HasSubstr("there is no label")) << "a is a tag";
  EXPECT_THAT(error_of("a |x :1\n"), ::testing::HasSubstr("':1' has no name"));
  EXPECT_THAT(error_of("a |x y:z\n"), ::testing::HasSubstr("'y:z' does not end"));
  EXPECT_THAT(error_of("a |x:nan y\n"), ::testing::HasSubstr("'x:nan' does not end"));
  EXPECT_THAT(error_of("a |x:1e30 y:1e30\n"), ::testing::HasSubstr("too large"));
  EXPECT_THAT(error_of("a |x y:3e38 y:3e38\n"), ::testing::HasSubstr("add up to more"));
}

TEST(BadInput, OfFastTextAndXmcIsNamedWithFileAndLine) {
  EXPECT_THAT(error_of("__label__a x\n__label__ y\n"),
              ::testing::HasSubstr("data.txt:2: the label after"));
  EXPECT_THAT(error_of("__label__a x\ny\n"), ::testing::HasSubstr("data.txt:2: there is no label"));
  EXPECT_THAT(error_of("a 1:1\n", of_format(Format::kXmc)),
              ::testing::HasSubstr("data.txt:1: 'a 1:1' is not a header"));
  EXPECT_THAT(error_of("2 5 3\n0 5:1\n1 1:1\n"),
              ::testing::HasSubstr("data.txt:2: feature index '5' is out of range"));
  EXPECT_THAT(error_of("2 5 3\n0 1:1\n3 1:1\n"),
              ::testing::HasSubstr("data.txt:3: label '3' is out of range"));
  EXPECT_THAT(error_of("2 5 3\n0 1:1\nx 1:1\n"),
              ::testing::HasSubstr("data.txt:3: label 'x' is not a whole number"));
  EXPECT_THAT(error_of("2 5 3\n0, 1:1\n1 1:1\n"), ::testing::HasSubstr("label '' is not"));
  EXPECT_THAT(error_of("2 5 3\n 1:1\n1 1:1\n"),
              ::testing::HasSubstr("data.txt:2: there is no label"));
  EXPECT_THAT(error_of("3 5 3\n0 1:1\n1 1:1\n"),
              ::testing::HasSubstr("ends after 2 rows, but its header announces 3"));
  EXPECT_THAT(error_of("1 5 3\n0 1:1\n1 1:1\n"),
              ::testing::HasSubstr("ends after 2 rows, but its header announces 1"));
}

TEST(BadInput, OptionsOfTheWrongKindAreRefused) {
  DataOptions options = plain_options();
  options.hash_bits = 10;
  EXPECT_THAT(error_of("a 1:1\n", options),
              ::testing::HasSubstr("`hash_bits` is for word formats"));
  options.min_count = 2;
  EXPECT_THAT(error_of("a |x\n", options), ::testing::HasSubstr("leave one of them out"));
  options.hash_bits = 0;
  EXPECT_THAT(error_of("a 1:1\n", options),
              ::testing::HasSubstr("`min_count` is for word formats"));
  EXPECT_THAT(error_of("a | x\nb | y\n", options), ::testing::HasSubstr("lower `min_count`"));
  options = plain_options();
  options.hash_bits = 31;
  EXPECT_THAT(error_of("a |x\n", options), ::testing::HasSubstr("must be from 1 to 30"));
  options = plain_options();
  options.labels_path = "y.npy";
  EXPECT_THAT(error_of("a 1:1\n", options), ::testing::HasSubstr("`labels_path` is for NumPy"));
}

TEST(BadInput, IsSkippedAndCountedIfAskedFor) {
  const LoadedData data =
      load_string("a 1:1\nb x\nb 9:1\n1:1\nc 1:nan\n\x01\n", skipping_options());
  EXPECT_EQ(testing::labels_of(data), (Labels{"a", "b"}));
  EXPECT_EQ(data.vocabulary.labels, (Labels{"a", "b"})) << "skipped lines make no classes";
  EXPECT_EQ(data.report.skipped_lines, 4U);
  EXPECT_THAT(data.report.first_skipped, ::testing::HasSubstr("data.txt:2: 'x' is not a feature"));
}

TEST(BadInput, SkippedLinesLeaveNoWords) {
  const LoadedData data = load_string("a | x\nb | y:1 z:nan\nb | w\n", skipping_options());
  EXPECT_EQ(data.vocabulary.words, (Labels{"x", "w"}));
}

TEST(BadInput, OnlyIsAnErrorEvenIfSkipped) {
  EXPECT_THAT(error_of("a 1:x\nb 2:x\n", skipping_options()),
              ::testing::HasSubstr(
                  "data.txt: every line was skipped (2); the first: data.txt:1: value 'x'"));
}

TEST(BadInput, LinesOfTenMegabytesAreRefusedOrSkipped) {
  const std::string text = "a 1:1\nb " + std::string(10'000'000, '7') + "\nb 9:1\n";
  EXPECT_EQ(error_of(text),
            "data.txt:2: the line is longer than 8388608 bytes; split it, or pass it over with "
            "`on_error skip`");
  const LoadedData data = load_string(text, skipping_options());
  EXPECT_EQ(testing::labels_of(data), (Labels{"a", "b"}));
  EXPECT_EQ(data.report.skipped_lines, 1U);
}

TEST(BadInput, CutOffFilesAreRefusedOrKeptAsFarAsTheyGo) {
  std::string text;
  for (int i = 0; i < 60000; ++i) {
    text += std::to_string(i % 7) + " " + std::to_string(i * 7919 % 10007) + ":1\n";
  }
  // A block of lz4 is larger than this text: nothing of a part of it can be kept.
  const std::string lz4 = testing::compressed(text, "lz4");
  EXPECT_THAT(error_of(lz4.substr(0, lz4.size() * 2 / 3)), ::testing::HasSubstr("cut off"));
  for (const char* const compression : {"gzip", "zstd", "xz"}) {
    SCOPED_TRACE(compression);
    const std::string packed = testing::compressed(text, compression);
    const std::string cut = packed.substr(0, packed.size() * 2 / 3);
    const LoadedData data = load_string(cut, skipping_options());
    EXPECT_GT(data.view.size(), 100U);
    EXPECT_LT(data.view.size(), 60000U);
    EXPECT_EQ(data.report.skipped_lines, 1U);
    const std::string place = "data.txt:" + std::to_string(data.view.size() + 1) + ": the ";
    EXPECT_EQ(error_of(cut).substr(0, place.size()), place);
    EXPECT_THAT(error_of(packed.substr(0, 12)), ::testing::HasSubstr("cut off"));
  }
}

TEST(BadInput, IsQuotedShortAndPrintable) {
  EXPECT_EQ(in_quotes("plain"), "'plain'");
  EXPECT_EQ(in_quotes("\x1b[1m\xff"), "'\\x1b[1m\\xff'");
  EXPECT_EQ(in_quotes(std::string(100, 'x')), "'" + std::string(40, 'x') + "...'");
  EXPECT_EQ(in_quotes("한국어"), "'한국어'");
  EXPECT_EQ(in_quotes("\xc2\x9bm \xed\x95"), "'\\xc2\\x9bm \\xed\\x95'")
      << "a control character, cut";
  EXPECT_EQ(shown(std::string(500, 'x')), std::string(200, 'x') + "...");
}

TEST(BadInput, RowsThatCannotBeSquaredAreNamedWithTheirLine) {
  EXPECT_THAT(error_of("a 1:1\nb 1:3e38 2:3e38\n"), ::testing::HasSubstr("data.txt:2: "));
  EXPECT_THAT(error_of("a |x:1e19 y:1e19\n"), ::testing::HasSubstr("squares"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
