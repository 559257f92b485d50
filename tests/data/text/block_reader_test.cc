#include "data/text/block_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cane/error.h"
#include "data/data_support.h"

namespace cane {
namespace CANE_THIS_FILE {

struct Lines {
  std::vector<std::string> lines;  // "<long>" for one that was dropped
  std::string damage;
};

Lines read_lines(const std::string& path, const BlockLimits& limits) {
  BlockReader reader(open_text(path), limits);
  Lines result;
  TextBlock block;
  while (reader.next(block)) {
    std::string_view rest = block.text;
    while (!rest.empty()) {
      const std::size_t length = std::min(rest.find('\n'), rest.size());
      result.lines.emplace_back(rest.substr(0, length));
      rest.remove_prefix(std::min(length + 1, rest.size()));
    }
    if (block.long_line_follows) result.lines.emplace_back("<long>");
  }
  result.damage = reader.damage();
  return result;
}

TEST(BlockReader, GivesTheSameLinesForAnyBlockSize) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("t",
                                        "\xEF\xBB\xBF"
                                        "one\n\nthree is longer\n4\nlast");
  const std::vector<std::string> expected = {"one", "", "three is longer", "4", "last"};
  for (const std::size_t bytes : {1U, 2U, 3U, 5U, 7U, 64U, 4096U}) {
    EXPECT_EQ(read_lines(path, {bytes, 1000}).lines, expected) << bytes;
  }
}

TEST(BlockReader, DropsLongLinesAndGoesOnAfterThem) {
  const testing::TemporaryFolder folder;
  const std::string path =
      folder.write("t", "a\n" + std::string(500, 'x') + "\nb\nc\n" + std::string(300, 'y'));
  const std::vector<std::string> expected = {"a", "<long>", "b", "c", "<long>"};
  for (const std::size_t bytes : {1U, 16U, 100U}) {
    EXPECT_EQ(read_lines(path, {bytes, 200}).lines, expected) << bytes;
  }
}

TEST(BlockReader, DecompressesSeveralMembersInARow) {
  const testing::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "line " + std::to_string(i) + "\n";
  for (const char* const compression : testing::kCompressions) {
    SCOPED_TRACE(compression);
    const std::string packed =
        testing::compressed(text, compression) + testing::compressed("end\n", compression);
    const Lines result = read_lines(folder.write("t", packed), {1000, 1000});
    ASSERT_EQ(result.lines.size(), 20001U);
    EXPECT_EQ(result.lines[19999], "line 19999");
    EXPECT_EQ(result.lines.back(), "end");
    EXPECT_EQ(result.damage, "");
  }
}

TEST(BlockReader, SaysThatCompressedDataIsCutOffAndDropsTheBrokenLine) {
  const testing::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 3000; ++i) text += std::to_string(i * 7919 % 10007) + "\n";
  for (const char* const compression : testing::kCompressions) {
    SCOPED_TRACE(compression);
    const std::string packed = testing::compressed(text, compression);
    for (const std::size_t keep : {packed.size() / 2, packed.size() - 1, packed.size() - 5}) {
      const Lines result = read_lines(folder.write("t", packed.substr(0, keep)), {});
      EXPECT_THAT(result.damage, ::testing::HasSubstr(compression)) << keep;
      EXPECT_THAT(result.damage, ::testing::HasSubstr("cut off")) << keep;
      std::string joined;
      for (const std::string& line : result.lines) joined += line + "\n";
      EXPECT_TRUE(text.starts_with(joined)) << keep;
    }
  }
}

TEST(BlockReader, SaysThatCompressedDataIsDamaged) {
  const testing::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 3000; ++i) text += std::to_string(i * 7919 % 10007) + "\n";
  // zstd has a checksum only where its writer wants one.
  for (const char* const compression : {"gzip", "xz", "bzip2", "lz4"}) {
    SCOPED_TRACE(compression);
    std::string packed = testing::compressed(text, compression);
    packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 1);
    EXPECT_THAT(read_lines(folder.write("t", packed), {}).damage, ::testing::HasSubstr("damaged"));
  }
}

TEST(BlockReader, ComparesTheChecksumOfGzip) {
  const testing::TemporaryFolder folder;
  std::string packed = testing::gzip("one\ntwo\n");
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);
  EXPECT_THAT(read_lines(folder.write("t", packed), {}).damage, ::testing::HasSubstr("damaged"));
}

TEST(BlockReader, SaysThatSomethingElseFollowsCompressedData) {
  const testing::TemporaryFolder folder;
  for (const char* const compression : testing::kCompressions) {
    const std::string packed = testing::compressed("one\n", compression) + "rubbish behind it";
    EXPECT_NE(read_lines(folder.write("t", packed), {}).damage, "") << compression;
  }
}

TEST(OpenText, SaysWhyAFileCannotBeRead) {
  const testing::TemporaryFolder folder;
  EXPECT_THROW(open_text(folder.path("missing")), Error);
  EXPECT_THROW(open_text(folder.path("")), Error) << "a folder";
  EXPECT_THROW(open_text(folder.write("t", "PK\x03\x04 data")), Error);
}

TEST(OpenText, TakesTextThatBeginsLikeACompressionForText) {
  const testing::TemporaryFolder folder;
  for (const std::string& text :
       std::vector<std::string>{"", "B", "BZhang", "BZh9 went", "PK", "\x1F", "\xFD\x37zX"}) {
    EXPECT_EQ(read_lines(folder.write("t", text + "\n"), {}).lines, std::vector<std::string>{text});
  }
}

TEST(OpenText, ReadsCompressedTextOfNoBytes) {
  const testing::TemporaryFolder folder;
  // The lz4 writer of libarchive cannot make one.
  for (const char* const compression : {"gzip", "zstd", "xz", "bzip2"}) {
    const Lines result = read_lines(folder.write("t", testing::compressed("", compression)), {});
    EXPECT_TRUE(result.lines.empty()) << compression;
    EXPECT_EQ(result.damage, "") << compression;
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
