#include "data/blocks/block_store.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "data/cache/cache.h"
#include "data/data_support.h"
#include "data/reader/text_file.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::content_of;
using testing::error_of_file;
using testing::TemporaryFolder;

constexpr BlockLimits kSmallBlocks = {64, 1000};

std::string many_lines(bool words) {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    text += words ? fmt::format("{} {}| x{} y x{} rare{}\n", i % 7, i % 3 + 1, i % 11, i % 11, i)
                  : fmt::format("{} {}:1.5 {}:{}\n", i % 7, i % 5, 9 + i % 13, i);
  }
  return text;
}

class BlockStoreTest : public ::testing::Test {
 protected:
  BlockStoreTest() {
    options_.cache_directory = folder_.path("cache");
    options_.threads = 2;
  }

  ParsedData parse(const std::string& path, const StoreLimits& store,
                   const Vocabulary* known = nullptr) {
    return parse_text_file(path, options_, known, pool_, store, kSmallBlocks);
  }

  // All in memory, all on disk and then in memory, and by a cache that was written piece by piece.
  void expect_the_same_everywhere(const std::string& path, const Vocabulary* known = nullptr) {
    const auto expected = content_of(assemble(parse(path, {}, known), pool_));
    ParsedData on_disk = parse(path, {folder_.path("cache"), 0}, known);
    ASSERT_TRUE(on_disk.blocks.is_on_disk());
    EXPECT_GT(on_disk.blocks.size(), 20U);
    const auto cache = DataCache::locate(path, options_, known);
    EXPECT_EQ(cache->store(on_disk, pool_), "");
    const auto cached = cache->load(pool_);
    ASSERT_TRUE(cached);
    EXPECT_EQ(content_of(*cached), expected);
    const LoadedData again = assemble(parse(path, {folder_.path("cache"), 0}, known), pool_);
    EXPECT_EQ(content_of(again), expected);
  }

  TemporaryFolder folder_;
  DataOptions options_;
  ThreadPool pool_{2};
};

TEST_F(BlockStoreTest, GivesTheSameDataFromDiskAndByTheCache) {
  const std::string indices = folder_.write("indices", many_lines(false));
  const std::string words = folder_.write("words", many_lines(true));
  expect_the_same_everywhere(indices);
  expect_the_same_everywhere(words);
  options_.normalize = Normalize::kL2;
  options_.min_count = 2;  // the cache then has a gap
  expect_the_same_everywhere(words);
  const Vocabulary known = assemble(parse(words, {}), pool_).vocabulary;
  options_.min_count = 1;
  expect_the_same_everywhere(folder_.write("more", "9 1| z x1\n" + many_lines(true)), &known);
}

TEST_F(BlockStoreTest, GivesTheSameDenseDataFromDiskAndByTheCache) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += fmt::format("{} 0:{} 1:2 2:{}\n", i % 3, i, i % 5);
  const std::string path = folder_.write("dense", text);
  expect_the_same_everywhere(path);
  Vocabulary known = assemble(parse(path, {}), pool_).vocabulary;
  known.dimension = 2;
  expect_the_same_everywhere(path, &known);
}

TEST_F(BlockStoreTest, StaysInMemoryWhileThereIsLittle) {
  const std::string path = folder_.write("indices", many_lines(false));
  EXPECT_FALSE(parse(path, {folder_.path("cache"), 1 << 20}).blocks.is_on_disk());
  EXPECT_FALSE(std::filesystem::exists(folder_.path("cache")));
  EXPECT_FALSE(parse(path, {}).blocks.is_on_disk());
}

TEST_F(BlockStoreTest, LeavesNoFileBehind) {
  const std::string path = folder_.write("indices", many_lines(false));
  const ParsedData text = parse(path, {folder_.path("cache"), 0});
  EXPECT_TRUE(text.blocks.is_on_disk());
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path("cache")));
}

TEST_F(BlockStoreTest, StaysInMemoryWhereTheFolderCannotBeWritten) {
  const std::string path = folder_.write("indices", many_lines(false));
  const std::string file = folder_.write("a_file", "no folder");
  ParsedData text = parse(path, {file, 0});
  EXPECT_FALSE(text.blocks.is_on_disk());
  EXPECT_TRUE(text.blocks.problem().starts_with(file + ": cannot make the folder: "))
      << text.blocks.problem();
  EXPECT_EQ(content_of(assemble(std::move(text), pool_)),
            content_of(assemble(parse(path, {}), pool_)));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
