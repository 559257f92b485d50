// Labels: threads
// Ranks that share a file: their parts, one after the other, are what one process reads.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/base/thread_pool.h"
#include "data/data_support.h"
#include "data/reader/text_file.h"
#include "support/thread_ranks.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::Content;
using testing::content_of;
using ::testing::HasSubstr;

using Load = std::function<LoadedData(Communicator&)>;

// The contents of all ranks as one.
Content joined(int ranks, const Load& load) {
  std::vector<Content> parts(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](Communicator& own) {
    parts[static_cast<std::size_t>(own.rank())] = content_of(load(own));
  });
  Content all = parts[0];
  for (std::size_t rank = 1; rank < parts.size(); ++rank) {
    const Content& part = parts[rank];
    EXPECT_TRUE(part.vocabulary == all.vocabulary) << "of rank " << rank;
    EXPECT_EQ(part.report, all.report);
    EXPECT_EQ(part.dense, all.dense);
    all.rows.insert(all.rows.end(), part.rows.begin(), part.rows.end());
    all.classes.insert(all.classes.end(), part.classes.begin(), part.classes.end());
    all.weights.insert(all.weights.end(), part.weights.begin(), part.weights.end());
  }
  return all;
}

void expect_equal_on_any_ranks(const Load& load) {
  Communicator alone;
  const Content whole = content_of(load(alone));
  for (const int ranks : {2, 3, 5}) {
    EXPECT_TRUE(joined(ranks, load) == whole) << ranks << " ranks";
  }
}

Load loader(const std::string& path, const DataOptions& options,
            const Vocabulary* known = nullptr) {
  return [=](Communicator& ranks) { return load_data(path, options, known, ranks_of(ranks)); };
}

std::string error_on(int ranks, const Load& load) {
  try {
    run_ranks(ranks, [&](Communicator& own) { load(own); });
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Words repeat across the parts; a later part has words and labels of its own.
std::string make_words(int lines, int bad_line = -1) {
  const CounterRandom random(5, RandomPurpose::kSynthetic);
  std::string text;
  for (int i = 0; i < lines; ++i) {
    const auto at = static_cast<std::uint64_t>(i);
    text += i == bad_line ? "no" : "__label__";
    text += fmt::format("{}", (i / 20) * 3 + static_cast<int>(random.below(6, at, 0)));
    for (std::uint32_t word = 0; word < 1 + random.below(9, at, 1); ++word) {
      text += fmt::format(" w{}", i / 30 + static_cast<int>(random.below(40, at, 2 + word)));
    }
    text += random.below(9, at, 100) == 0 ? "\n\n" : "\n";
  }
  return text;
}

TEST(SharedData, GivesTheWordsOfATextTheirNumbersInTheWholeFile) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("words.ft", make_words(200));
  DataOptions options = testing::plain_options();
  expect_equal_on_any_ranks(loader(path, options));
  options.min_count = 4;
  options.normalize = Normalize::kL2;
  options.weights = FeatureWeights::kTfidf;
  expect_equal_on_any_ranks(loader(path, options));
  options.word_ngrams = 2;
  options.char_ngrams = {2, 3};
  expect_equal_on_any_ranks(loader(path, options));
  options.min_count = 1;
  options.hash_bits = 6;
  expect_equal_on_any_ranks(loader(path, options));
}

TEST(SharedData, ReadsAFileOfFewerLinesThanRanks) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("two.ft", "__label__a x\n__label__b y");
  expect_equal_on_any_ranks(loader(path, testing::plain_options()));
}

TEST(SharedData, ReadsThroughAKnownVocabularyAndAddsLabelsInTheOrderOfTheFile) {
  const testing::TemporaryFolder folder;
  const LoadedData before = testing::load_string(make_words(40));
  const std::string path = folder.write("more.ft", make_words(200));
  DataOptions options = testing::plain_options();
  expect_equal_on_any_ranks(loader(path, options, &before.vocabulary));
  options.add_labels = true;
  expect_equal_on_any_ranks(loader(path, options, &before.vocabulary));
}

TEST(SharedData, ReadsIndicesDenseOrSparseAsTheWholeFileIs) {
  const testing::TemporaryFolder folder;
  // The first part alone would be sparse, with fewer features.
  std::string text;
  for (int i = 0; i < 30; ++i) text += fmt::format("{} 0:1\n", i % 3);
  for (int i = 0; i < 90; ++i) text += fmt::format("{} 0:1 1:{} 2:0.5 3:2\n", i % 4, i + 1);
  expect_equal_on_any_ranks(loader(folder.write("data.svm", text), testing::plain_options()));
}

TEST(SharedData, LeavesTheHeaderToTheFirstRank) {
  const testing::TemporaryFolder folder;
  std::string text =
      "\xEF\xBB\xBF"
      "label,first,second\n";
  for (int i = 0; i < 60; ++i) text += fmt::format("c{},{},{}\n", i % 5, i, 0.5 * i);
  expect_equal_on_any_ranks(loader(folder.write("data.csv", text), testing::plain_options()));
  std::string announced = "40 3 4\n";
  for (int i = 0; i < 40; ++i) announced += fmt::format("{} 0:1 2:{}\n", i % 4, i + 1);
  DataOptions options = testing::plain_options();
  options.format = Format::kXmc;
  expect_equal_on_any_ranks(loader(folder.write("data.xmc", announced), options));
}

TEST(SharedData, KeepsRecordsWholeWhoseFieldsHoldLineEnds) {
  const testing::TemporaryFolder folder;
  std::string text = "label,text\n";
  for (int i = 0; i < 40; ++i) {
    text += fmt::format("c{},\"one {}\nc1,two\nc2,\"\"three\"\"\n\nfour\"\n", i % 5, i);
  }
  const std::string path = folder.write("data.csv", text);
  expect_equal_on_any_ranks(loader(path, testing::plain_options()));
  // One record that is longer than the parts of several ranks.
  std::string large = "label,text\nc1,\"";
  for (int i = 0; i < 300; ++i) large += "more\n";
  large += "\"\nc2,x\n";
  expect_equal_on_any_ranks(loader(folder.write("large.csv", large), testing::plain_options()));
}

TEST(SharedData, NamesTheFirstBadLineOfTheFileOnAllRanks) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("words.ft", make_words(200, 150));
  DataOptions options = testing::plain_options();
  options.format = Format::kFastText;
  Communicator alone;
  std::string expected;
  try {
    load_data(path, options, nullptr, ranks_of(alone));
  } catch (const Error& error) {
    expected = error.what();
  }
  ASSERT_THAT(expected, HasSubstr("words.ft:"));
  EXPECT_EQ(error_on(3, loader(path, options)), expected);
  options.on_error = OnError::kSkip;
  expect_equal_on_any_ranks(loader(path, options));
}

TEST(SharedData, RefusesWhatCannotBeReadInParts) {
  const testing::TemporaryFolder folder;
  const std::string packed = folder.write("words.ft.gz", testing::gzip(make_words(20)));
  EXPECT_THAT(error_on(2, loader(packed, testing::plain_options())),
              HasSubstr("a gzip file cannot be read in parts; decompress it"));
}

TEST(SharedData, SharesTheRowsOfAMatrixAndItsLabels) {
  const testing::TemporaryFolder folder;
  std::vector<float> values;
  std::string text_labels;
  std::vector<std::int64_t> labels;
  for (int i = 0; i < 41; ++i) {
    values.insert(values.end(), {static_cast<float>(i), 0.5F, i == 30 ? NAN : 1.0F});
    labels.push_back(i / 10 * 7);
    text_labels += fmt::format("{}\n", i / 10 * 7);
  }
  const std::string path =
      folder.write("X_a.npy", testing::npy("<f4", "(41, 3)", testing::raw(values)));
  folder.write("y_a.npy", testing::npy("<i8", "(41,)", testing::raw(labels)));
  folder.write("named.txt", text_labels);
  DataOptions options = testing::skipping_options();
  expect_equal_on_any_ranks(loader(path, options));
  options.labels_path = folder.path("named.txt");
  expect_equal_on_any_ranks(loader(path, options));
  options.on_error = OnError::kStop;
  EXPECT_THAT(error_on(3, loader(path, options)), HasSubstr("row 30, column 2"));
}

TEST(SharedData, SendsTheLabelsOfATextToTheRanksThatHaveTheirRows) {
  const testing::TemporaryFolder folder;
  const std::vector<std::uint8_t> values(60, 1);
  const std::string path =
      folder.write("X.npy", testing::npy("|u1", "(30, 2)", testing::raw(values)));
  // The lines of the last rows are most of the file; one row has no label.
  std::string labels = "\xEF\xBB\xBF";
  for (int i = 0; i < 30; ++i) {
    labels += i == 4 ? "\r\n" : fmt::format("{}{}\n", std::string(i < 24 ? 1 : 100, 'l'), i % 7);
  }
  DataOptions options = testing::skipping_options();
  options.labels_path = folder.write("y.txt", labels + "\n\n \n\n");
  expect_equal_on_any_ranks(loader(path, options));
  options.labels_path = folder.write("packed", testing::gzip(labels));
  expect_equal_on_any_ranks(loader(path, options));
  options.labels_path = folder.write("more.txt", labels + "\nmore");
  EXPECT_THAT(error_on(3, loader(path, options)), HasSubstr("32 labels for the 30 rows of"));
  options.labels_path = folder.write("long.txt", labels + std::string(std::size_t{9} << 20, 'x'));
  EXPECT_THAT(error_on(3, loader(path, options)), HasSubstr("long.txt:31: the line is too long"));
  options.on_error = OnError::kStop;
  options.labels_path = folder.path("y.txt");
  EXPECT_THAT(error_on(3, loader(path, options)), HasSubstr("y.txt:5: there is no label"));
}

TEST(SharedData, SharesTheRowsOfAMatrixThatIsConverted) {
  const testing::TemporaryFolder folder;
  std::vector<double> values;
  std::string labels;
  for (int i = 0; i < 23; ++i) {
    values.insert(values.end(), {0.25 * i, i == 20 ? INFINITY : 1.0});
    labels += fmt::format("{}\n", i == 7 ? "late" : i % 3 == 0 ? "a" : "b");
  }
  const std::string path =
      folder.write("X.npy", testing::npy("<f8", "(23, 2)", testing::raw(values)));
  folder.write("y.txt", labels);
  expect_equal_on_any_ranks(loader(path, testing::skipping_options()));
  EXPECT_THAT(error_on(3, loader(path, testing::plain_options())), HasSubstr("row 20, column 1"));
}

TEST(SharedData, KeepsACacheForEveryRankAndUsesAllOrNone) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("words.ft", make_words(200));
  DataOptions options = testing::plain_options();
  options.use_cache = true;
  options.cache_directory = folder.path("cache");
  const Load load = loader(path, options);
  std::vector<std::atomic<int>> from_cache(2);
  const auto count = [&](std::size_t time) {
    run_ranks(3, [&](Communicator& own) { from_cache[time] += load(own).report.from_cache; });
  };
  count(0);
  count(1);
  EXPECT_EQ(from_cache[0], 0);
  EXPECT_EQ(from_cache[1], 3);
  expect_equal_on_any_ranks(load);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
