// Labels: threads
#include "data/reader/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/base/random.h"
#include "data/data_support.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::Content;
using testing::content_of;

// Words repeat within and across lines; some lines are blank, bad, or of several labels.
std::string make_words(int lines) {
  const CounterRandom random(7, RandomPurpose::kSynthetic);
  std::string text = "__label__first line\n";
  for (int i = 0; i < lines; ++i) {
    const auto at = static_cast<std::uint64_t>(i);
    if (random.below(20, at, 0) == 0) text += random.below(2, at, 1) == 0 ? "\n" : "no label\n";
    text += fmt::format("__label__{}", random.below(9, at, 2));
    if (random.below(5, at, 3) == 0) text += fmt::format(" __label__{}", random.below(9, at, 4));
    for (std::uint32_t word = 0; word < random.below(12, at, 5); ++word) {
      text +=
          fmt::format(" w{}", random.below(60, at, 10 + word) * random.below(60, at, 50 + word));
    }
    text += "\n";
  }
  return text;
}

std::string make_indices(int lines) {
  const CounterRandom random(8, RandomPurpose::kSynthetic);
  std::string text;
  for (int i = 0; i < lines; ++i) {
    const auto at = static_cast<std::uint64_t>(i);
    text += fmt::format("{}", random.below(9, at, 2));
    std::uint64_t index = 0;
    for (std::uint32_t k = 0; k < random.below(12, at, 5); ++k) {
      index += 1 + random.below(40, at, 10 + k);
      text += fmt::format(" {}:{:.3f}", index, random.normal(at, 100 + k));
    }
    text += random.below(30, at, 3) == 0 ? " 0:0\n" : "\n";
  }
  return text;
}

Content load(const std::string& path, const DataOptions& options, int threads,
             std::size_t block_bytes, const Vocabulary* known = nullptr) {
  ThreadPool pool(threads);
  return content_of(
      assemble(parse_text_file(path, options, known, pool, {}, {block_bytes, 1000}), pool));
}

TEST(TextLoaderThreads, GivesTheSameForAnyNumberOfThreadsAndAnyBlockSize) {
  const testing::TemporaryFolder folder;
  DataOptions words = testing::skipping_options();
  words.multi_label = MultiLabel::kEach;
  words.min_count = 3;
  words.normalize = Normalize::kL2;
  DataOptions hashed = words;
  hashed.min_count = 1;
  hashed.hash_bits = 5;
  DataOptions ngrams = words;
  ngrams.word_ngrams = 3;
  ngrams.char_ngrams = {2, 4};
  ngrams.ngram_bits = 9;
  ngrams.weights = FeatureWeights::kTfidf;
  DataOptions dictionary = ngrams;
  dictionary.ngram_bits = 0;
  const std::string word_path = folder.write("words", make_words(150));
  const std::string packed_path = folder.write("words.gz", testing::gzip(make_words(150)));
  const std::string index_path = folder.write("indices", make_indices(150));
  const std::vector<std::pair<std::string, DataOptions>> cases = {
      {word_path, words},  {packed_path, words},    {word_path, hashed},
      {word_path, ngrams}, {word_path, dictionary}, {index_path, testing::skipping_options()}};
  for (const auto& [path, options] : cases) {
    const Content expected = load(path, options, 1, 1 << 20);
    EXPECT_GT(expected.rows.size(), 130U);
    const Content known = load(path, options, 1, 1 << 20, &expected.vocabulary);
    for (const int threads : {1, 2, 8}) {
      for (const std::size_t block_bytes : {1U, 50U, 1000U, 100000U}) {
        EXPECT_EQ(load(path, options, threads, block_bytes), expected) << path << block_bytes;
        EXPECT_EQ(load(path, options, threads, block_bytes, &expected.vocabulary), known);
      }
    }
  }
}

TEST(TextLoaderThreads, NamesTheFirstBadLineForAnyNumberOfThreadsAndAnyBlockSize) {
  const testing::TemporaryFolder folder;
  std::string text;
  for (int line = 1; line <= 300; ++line) text += line == 120 || line == 121 ? "a x\n" : "a 1:1\n";
  const std::string path = folder.write("d", text);
  for (const int threads : {1, 2, 8}) {
    for (const std::size_t block_bytes : {1U, 50U, 100000U}) {
      try {
        load(path, testing::plain_options(), threads, block_bytes);
        FAIL() << "no error";
      } catch (const Error& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with(path + ":120: 'x' is not"))
            << error.what();
      }
    }
  }
}

TEST(TextLoader, ReadsStandardInput) {
  const testing::TemporaryFolder folder;
  const Vocabulary known = testing::load_string("a 1:1\nb 9:1\n").vocabulary;
  const std::string path = folder.write("d", "a 1:1\nb 9:x\n");
  const int saved = ::dup(STDIN_FILENO);
  const int file = ::open(path.c_str(), O_RDONLY);
  ::dup2(file, STDIN_FILENO);
  std::string message;
  try {
    load_data("-", testing::plain_options());
  } catch (const Error& error) {
    message = error.what();
  }
  ::lseek(STDIN_FILENO, 0, SEEK_SET);
  const LoadedData data = load_data("-", testing::skipping_options(), &known);
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ::close(file);
  EXPECT_TRUE(message.starts_with("standard input:2: value 'x'")) << message;
  EXPECT_EQ(testing::labels_of(data), std::vector<std::string>{"a"});
}

TEST(TextLoader, CountsTheWordsOfALineWithSeveralLabelsOnce) {
  const testing::TemporaryFolder folder;
  DataOptions options = testing::plain_options();
  options.multi_label = MultiLabel::kEach;
  options.min_count = 2;
  const std::string path =
      folder.write("d", "__label__a __label__b once twice\n__label__a twice\n");
  EXPECT_EQ(load(path, options, 1, 1000).vocabulary.words, std::vector<std::string>{"twice"});
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
