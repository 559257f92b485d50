#include "lm/text/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "lm/text/text_words.h"
#include "support/compressed.h"
#include "support/error_text.h"
#include "support/temporary_folder.h"

namespace cane::lm {
namespace CANE_THIS_FILE {

using cane::testing::error_text;
using cane::testing::TemporaryFolder;

constexpr const char* kText = "the cat  sat\n\non the mat \r\n the end";

std::vector<std::string> spelled(const Corpus& corpus) {
  std::vector<std::string> words;
  for (const WordId id : corpus.tokens) words.emplace_back(corpus.vocabulary.word(id));
  return words;
}

const std::vector<std::string> kWords = {"the", "cat",   "sat", "<eos>", "on",   "the",
                                         "mat", "<eos>", "the", "end",   "<eos>"};

CorpusOptions without_cache() {
  CorpusOptions options;
  options.use_cache = false;
  return options;
}

TEST(Corpus, EndsEveryLineThatHasWords) {
  const TemporaryFolder folder;
  const Corpus corpus = read_corpus(folder.write("text", kText), without_cache());
  EXPECT_EQ(spelled(corpus), kWords);
}

TEST(Corpus, TakesTheBeginningOfATextWithTheVocabularyOfAllOfIt) {
  const TemporaryFolder folder;
  const std::string path = folder.write("text", kText);
  CorpusOptions options;
  options.cache_directory = folder.path("cache");
  options.tokens = 5;
  options.measured_tokens = 2;
  for (const char* const reading : {"parsed", "cached"}) {
    const Corpus corpus = read_corpus(path, options);
    EXPECT_EQ(spelled(corpus), std::vector(kWords.begin(), kWords.begin() + 5)) << reading;
    EXPECT_NE(corpus.vocabulary.find("end"), corpus.vocabulary.find("unheard-of")) << reading;
    EXPECT_EQ(read_tokens(path, corpus.vocabulary, options).size(), 2U) << reading;
  }
  options.tokens = 0;
  EXPECT_EQ(spelled(read_corpus(path, options)), kWords);
}

TEST(Corpus, ReadsCompressedTextAsPlainText) {
  const TemporaryFolder folder;
  for (const char* const compression : cane::testing::kCompressions) {
    const std::string bytes = cane::testing::compressed(kText, compression) +
                              cane::testing::compressed("\n", compression);
    EXPECT_EQ(spelled(read_corpus(folder.write("text", bytes), without_cache())), kWords)
        << compression;
  }
}

TEST(Corpus, RefusesCompressedTextThatIsCutOff) {
  const TemporaryFolder folder;
  for (const char* const compression : cane::testing::kCompressions) {
    std::string bytes = cane::testing::compressed(kText, compression);
    bytes.resize(bytes.size() - 4);
    const std::string path = folder.write("text", bytes);
    const std::string message = error_text([&] { read_corpus(path, without_cache()); });
    EXPECT_THAT(message, ::testing::HasSubstr("cut off"));
  }
}

TEST(Corpus, FindsWordsAcrossBlocks) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += i % 7 == 0 ? "word\n" : "another ";
  const Corpus corpus = read_corpus(folder.write("text", text), without_cache());
  EXPECT_EQ(corpus.vocabulary.size(), 4U);
  EXPECT_EQ(corpus.tokens.size(), 300'000U + 42'858U);
}

TEST(Corpus, RefusesTextWithoutWordsAndWordsWithoutEnd) {
  const TemporaryFolder folder;
  const std::string empty = folder.write("empty", " \n\n");
  EXPECT_THAT(error_text([&] { read_corpus(empty, without_cache()); }),
              ::testing::HasSubstr("no word"));
  const std::string binary = folder.write("binary", std::string(kLongestWord + 1, 'x'));
  EXPECT_THAT(error_text([&] { read_corpus(binary, without_cache()); }),
              ::testing::HasSubstr("binary:1: a word of"));
}

TEST(WordVocabulary, NumbersWordsByFallingCountAndKeepsTheSpecialOnes) {
  const TemporaryFolder folder;
  const std::string path = folder.write("text", "b a a c c a\nd <unk> b\n");
  CorpusOptions options = without_cache();
  const Corpus all = read_corpus(path, options);
  const std::vector<std::string> expected = {"a", "b", "c", "<eos>", "d", "<unk>"};
  ASSERT_EQ(all.vocabulary.size(), expected.size());
  for (WordId id = 0; id < expected.size(); ++id) EXPECT_EQ(all.vocabulary.word(id), expected[id]);
  EXPECT_EQ(all.vocabulary.counts()[0], 3U);
  EXPECT_EQ(all.vocabulary.find("z"), all.vocabulary.unknown());

  options.vocabulary.min_count = 2;
  EXPECT_EQ(read_corpus(path, options).vocabulary.size(), 5U);
  options.vocabulary.most_words = 3;
  const Corpus few = read_corpus(path, options);
  EXPECT_EQ(few.vocabulary.word(0), "<unk>");
  EXPECT_EQ(few.vocabulary.counts()[0], 6U);
  options.vocabulary.most_words = 2;
  EXPECT_THAT(error_text([&] { read_corpus(path, options); }),
              ::testing::HasSubstr("`vocabulary`"));
}

TEST(WordVocabulary, RefusesListsThatAreNone) {
  const std::vector<std::string> twice = {"a", "<unk>", "<eos>", "a"};
  EXPECT_THAT(error_text([&] {
                WordVocabulary(twice, {4, 3, 2, 1});
              }),
              ::testing::HasSubstr("twice"));
  const std::vector<std::string> words = {"a", "<unk>", "<eos>"};
  EXPECT_THAT(error_text([&] { WordVocabulary(words, {1, 2, 1}); }), ::testing::HasSubstr("order"));
  EXPECT_THAT(error_text([&] {
                WordVocabulary(std::span(words).first(2), {2, 1});
              }),
              ::testing::HasSubstr("<eos>"));
}

class CachedCorpus : public ::testing::Test {
 protected:
  CachedCorpus() {
    options_.cache_directory = folder_.path("cache");
    text_ = folder_.write("text", kText);
  }

  std::string cache_file() const {
    for (const auto& entry : std::filesystem::directory_iterator(options_.cache_directory)) {
      return entry.path().string();
    }
    return {};
  }

  TemporaryFolder folder_;
  CorpusOptions options_;
  std::string text_;
};

TEST_F(CachedCorpus, GivesTheSameAsTheText) {
  const Corpus first = read_corpus(text_, options_);
  ASSERT_FALSE(cache_file().empty());
  const Corpus second = read_corpus(text_, options_);
  EXPECT_EQ(first.tokens, second.tokens);
  EXPECT_EQ(first.vocabulary.fingerprint(), second.vocabulary.fingerprint());
  EXPECT_EQ(read_tokens(text_, first.vocabulary, options_), first.tokens);
  EXPECT_EQ(read_tokens(text_, first.vocabulary, options_), first.tokens);
}

TEST_F(CachedCorpus, IsUsedOnlyWhileTheTextIsUnchanged) {
  read_corpus(text_, options_);
  folder_.write("text", "something else");
  EXPECT_EQ(spelled(read_corpus(text_, options_)),
            (std::vector<std::string>{"something", "else", "<eos>"}));
}

TEST_F(CachedCorpus, IsIgnoredWhenDamaged) {
  read_corpus(text_, options_);
  const std::string path = cache_file();
  std::string bytes = TemporaryFolder::read(path);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(spelled(read_corpus(text_, options_)), kWords);
  std::ofstream(path, std::ios::binary) << bytes.substr(0, bytes.size() - 3);
  EXPECT_EQ(spelled(read_corpus(text_, options_)), kWords);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::lm
