// Labels: threads
// Ranks that read a part each and gather the rest: every one has what one process reads.
#include "data/gathered_data.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "data/data_support.h"
#include "data/subset.h"
#include "support/thread_ranks.h"
#include "train/checkpoint/checkpoint.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::content_of;
using ::testing::HasSubstr;

// In memory; in a file; and in messages of a few rows, or one.
std::vector<GatherLimits> every_way(const testing::TemporaryFolder& folder) {
  return {{},
          {.folder = folder.path("unnamed"), .memory_bytes = 0},
          {.folder = {}, .round_bytes = 500},
          {.folder = folder.path("unnamed"), .memory_bytes = 0, .round_bytes = 1}};
}

void expect_same(const LoadedData& gathered, const LoadedData& whole) {
  EXPECT_TRUE(content_of(gathered) == content_of(whole));
  const DatasetView& view = gathered.view;
  EXPECT_EQ(view.dimension(), whole.view.dimension());
  EXPECT_EQ(view.has_weights(), whole.view.has_weights());
  EXPECT_EQ(view.stored_values(), whole.view.stored_values());
  EXPECT_EQ(view.stored_bytes(), whole.view.stored_bytes());
  EXPECT_EQ(view.density(), whole.view.density());
  EXPECT_EQ(view.empty_rows(), whole.view.empty_rows());
  EXPECT_EQ(view.dense().type, whole.view.dense().type);
  EXPECT_EQ(view.dense().normalize, whole.view.dense().normalize);
  EXPECT_EQ(view.dense().rows.empty(), whole.view.dense().rows.empty());
  EXPECT_EQ(gathered.report.empty_examples, whole.report.empty_examples);
  EXPECT_EQ(gathered.report.notes, whole.report.notes);
  EXPECT_EQ(gathered.files, whole.files);
  ThreadPool pool(2);
  EXPECT_EQ(data_fingerprint(view, gathered.vocabulary, pool),
            data_fingerprint(whole.view, whole.vocabulary, pool));
}

void expect_gathered_as_read_by_one(const std::string& path, const DataOptions& options) {
  const testing::TemporaryFolder folder;
  const LoadedData whole = load_data(path, options);
  for (const GatherLimits& limits : every_way(folder)) {
    for (const int ranks : {1, 2, 3, 4}) {
      run_ranks(ranks, [&](Communicator& own) {
        const LoadedData all =
            gather_data(load_data(path, options, nullptr, ranks_of(own)), own, limits);
        expect_same(all, whole);
        if (ranks == 1) return;
        const DatasetView& view = all.view;
        EXPECT_EQ(view.is_dense() ? view.dense().mapped : view.sparse().mapped,
                  limits.memory_bytes == 0);
      });
    }
  }
}

TEST(GatheredData, IsThatOfOneProcessForWords) {
  const testing::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 60; ++i) {
    text += fmt::format("__label__{} w{} w{}\n", i * i % 7, i, i / 3);
    if (i % 20 == 0) text += "__label__empty\n";
  }
  expect_gathered_as_read_by_one(folder.write("words.ft", text), testing::plain_options());
  const std::string two = folder.write("two.ft", "__label__a x\n__label__b y\n");
  expect_gathered_as_read_by_one(two, testing::plain_options());
}

TEST(GatheredData, HasTheWeightsOfExamples) {
  const testing::TemporaryFolder folder;
  std::string text;
  // Only the last part has weights.
  for (int i = 0; i < 40; ++i) {
    text += fmt::format("{}{} | f{}:{} g\n", i % 5, i < 35 ? "" : fmt::format(" {}", i), i, i + 1);
  }
  const std::string path = folder.write("data.vw", text);
  ASSERT_TRUE(load_data(path, testing::plain_options()).view.has_weights());
  expect_gathered_as_read_by_one(path, testing::plain_options());
}

TEST(GatheredData, HasDenseRowsOfAText) {
  const testing::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 30; ++i) text += fmt::format("{} 1:{} 2:0.5 3:2\n", i % 4, i + 1);
  const std::string path = folder.write("data.svm", text);
  ASSERT_TRUE(load_data(path, testing::plain_options()).view.is_dense());
  expect_gathered_as_read_by_one(path, testing::plain_options());
}

TEST(GatheredData, HasTheElementsOfAMatrixAsTheyAreStored) {
  const testing::TemporaryFolder folder;
  std::vector<float> numbers;
  std::vector<std::uint8_t> bytes;
  std::string labels;
  for (int i = 0; i < 41; ++i) {
    numbers.insert(numbers.end(), {static_cast<float>(i), 0.5F, 1.0F});
    bytes.insert(bytes.end(), {static_cast<std::uint8_t>(i), 7, 255});
    labels += fmt::format("{}\n", i / 10);
  }
  folder.write("y.txt", labels);
  DataOptions options = testing::plain_options();
  options.labels_path = folder.path("y.txt");
  const std::string floats =
      folder.write("X.npy", testing::npy("<f4", "(41, 3)", testing::raw(numbers)));
  const std::string small =
      folder.write("B.npy", testing::npy("|u1", "(41, 3)", testing::raw(bytes)));
  expect_gathered_as_read_by_one(floats, options);
  options.normalize = Normalize::kL2;
  expect_gathered_as_read_by_one(floats, options);
  expect_gathered_as_read_by_one(small, options);
}

TEST(GatheredData, LeavesOutTheSkippedRowsOfAMatrix) {
  const testing::TemporaryFolder folder;
  std::vector<float> numbers;
  std::string labels;
  for (int i = 0; i < 20; ++i) {
    // On four ranks all rows of the third are skipped, and on three those of none.
    numbers.insert(numbers.end(), {1.0F + static_cast<float>(i), i / 5 == 2 ? NAN : 1.0F});
    labels += fmt::format("{}\n", i % 3);
  }
  const std::string path =
      folder.write("X.npy", testing::npy("<f4", "(20, 2)", testing::raw(numbers)));
  folder.write("y.txt", labels);
  expect_gathered_as_read_by_one(path, testing::skipping_options());
}

// Doubles and lists of sparse rows come from memory and from subsets only.
TEST(GatheredData, TakesRowsOfTheCallerAndSubsets) {
  const std::vector<double> values = {0.5, 1.5, 2.5, 3.5, 4.5, 5.5};
  const std::vector<ClassId> labels = {0, 1, 0};
  const DatasetView::Dense matrix = {.matrix = std::as_bytes(std::span(values)).data(),
                                     .type = ElementType::kFloat64,
                                     .normalize = false,
                                     .rows = {},
                                     .mapped = false};
  const LoadedData sparse = testing::load_string("0 1:1 9:2\n1 2:3 8:1\n0 3:4\n1 1:5 5:1 6:2\n");
  const std::vector<std::uint32_t> chosen = {3, 0, 2};
  run_ranks(2, [&](Communicator& own) {
    LoadedData share;
    share.view = DatasetView(matrix, 2, labels, {});
    const LoadedData all = gather_data(share, own);
    EXPECT_EQ(all.view.dense().type, ElementType::kFloat64);
    EXPECT_EQ(testing::row_of(all, 4), (testing::Row{{0, 2.5F}, {1, 3.5F}}));
    const LoadedData part = take_subset(sparse, chosen);
    const LoadedData both = gather_data(part, own);
    ASSERT_EQ(both.view.size(), 6U);
    for (std::size_t i = 0; i < both.view.size(); ++i) {
      EXPECT_EQ(testing::row_of(both, i), testing::row_of(part, i % 3));
    }
    EXPECT_EQ(both.view.stored_bytes(), 2 * part.view.stored_bytes());
  });
}

TEST(GatheredData, NamesTheFolderThatCannotTakeTheRows) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("words.ft", "__label__a x\n__label__b y\n__label__a z\n");
  const std::string file = folder.write("file", "");
  try {
    run_ranks(3, [&](Communicator& own) {
      // One rank is enough to end all.
      const bool fails = own.rank() == 1;
      gather_data(load_data(path, testing::plain_options(), nullptr, ranks_of(own)), own,
                  {.folder = fails ? file : folder.path("fine"), .memory_bytes = 0});
    });
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(file + ": cannot make the folder: "));
    EXPECT_THAT(error.what(), HasSubstr("choose another folder with `cache_directory`"));
  }
}

TEST(GatheredData, LeavesNoFileBehind) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("words.ft", "__label__a x\n__label__b y\n");
  run_ranks(2, [&](Communicator& own) {
    const LoadedData all =
        gather_data(load_data(path, testing::plain_options(), nullptr, ranks_of(own)), own,
                    {.folder = folder.path("cache"), .memory_bytes = 0});
    own.barrier();
    EXPECT_TRUE(std::filesystem::is_empty(folder.path("cache")));
    EXPECT_EQ(testing::labels_of(all), (std::vector<std::string>{"a", "b"}));
  });
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
