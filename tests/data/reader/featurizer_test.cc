#include "data/reader/featurizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/data_support.h"

namespace cane {
namespace CANE_THIS_FILE {

using ::testing::HasSubstr;
using testing::load_string;
using testing::plain_options;
using testing::Row;

Row only_row(const ParsedBlock& block) {
  EXPECT_EQ(block.ends.size(), 1U);
  const RowView view = block.row(0);
  Row row;
  for (std::uint32_t i = 0; i < view.count; ++i) row[view.indices[i]] = view.values[i];
  return row;
}

// What a file of the line gives, and what the line alone gives.
void expect_as_in_a_file(const std::string& line, const Vocabulary& known) {
  DataOptions options = plain_options();
  options.require_labels = false;
  const LoadedData data = load_string(line + "\n", options, &known);
  Row expected = testing::row_of(data, 0);
  std::erase_if(expected, [](const auto& entry) { return entry.second == 0.0F; });
  EXPECT_EQ(only_row(Featurizer(known).featurize(line, Format::kAuto)), expected) << line;
}

TEST(Featurizer, GivesALineTheFeaturesThatItHasInAFile) {
  DataOptions options = plain_options();
  const std::string text = "__label__a one two two\n__label__b three one\n";
  for (const Normalize normalize : {Normalize::kNone, Normalize::kL2}) {
    options.normalize = normalize;
    expect_as_in_a_file("__label__b two new one two", load_string(text, options).vocabulary);
    expect_as_in_a_file("b |s one:2 two", load_string("a |s one\nb |s two\n", options).vocabulary);
    expect_as_in_a_file("b 1:3 5:2 9:1", load_string("a 1:1\nb 5:2 7:1\n", options).vocabulary);
    options.word_ngrams = 2;
    options.char_ngrams = {2, 3};
    expect_as_in_a_file("__label__b two three one", load_string(text, options).vocabulary);
    options.hash_bits = 20;
    expect_as_in_a_file("__label__b two three one", load_string(text, options).vocabulary);
    options = plain_options();
  }
}

TEST(Featurizer, NeedsNoLabelAndNoFormat) {
  const Vocabulary words = load_string("__label__a x\n__label__b y\n").vocabulary;
  EXPECT_EQ(only_row(Featurizer(words).featurize("y x\ny\n", Format::kAuto)),
            (Row{{0, 1.0F}, {1, 2.0F}}));
  EXPECT_EQ(only_row(Featurizer(words).featurize("12:30 y", Format::kAuto)), (Row{{1, 1.0F}}));
  EXPECT_EQ(only_row(Featurizer(words).featurize("|s y | y", Format::kVw)), (Row{{1, 1.0F}}));
  EXPECT_EQ(only_row(Featurizer(words).featurize(" \n", Format::kAuto)), Row{});
  const Vocabulary indices = load_string("a 1:1\nb 2:1\n").vocabulary;
  EXPECT_EQ(only_row(Featurizer(indices).featurize("2:3", Format::kAuto)), (Row{{2, 3.0F}}));
}

TEST(Featurizer, SaysWhatIsWrongWithAText) {
  const Vocabulary indices = load_string("a 1:1\nb 2:1\n").vocabulary;
  const Featurizer featurizer(indices);
  const auto message = [&](std::string_view text, Format format) {
    try {
      featurizer.featurize(text, format);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message("2:x", Format::kAuto), HasSubstr("the text: value 'x' of feature 2"));
  EXPECT_THAT(message("a | b", Format::kVw), HasSubstr("the model was trained on indices"));
  EXPECT_THAT(message("a", Format::kNpy), HasSubstr("npy is not a format of text"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
