#include "core/file/file_range.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

std::string content(TextSource& source) {
  std::string text;
  std::array<char, 3> buffer{};
  while (const std::size_t count = source.read_some(buffer)) text.append(buffer.data(), count);
  return text;
}

TEST(FileRange, IsAPartOfTheFile) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("file", "one\ntwo\nthree");
  EXPECT_EQ(content(*open_range(path, {4, 8})), "two\n");
  EXPECT_EQ(content(*open_range(path, {8, 100})), "three");
  EXPECT_EQ(content(*open_range(path, {5, 5})), "");
}

TEST(FileRange, FindsWhereTheNextLineBegins) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("file", "one\n\nthree\nfour");
  const std::pair<std::uint64_t, std::uint64_t> cases[] = {{0, 0},  {1, 4},   {4, 4},   {5, 5},
                                                           {6, 11}, {11, 11}, {12, 15}, {15, 15}};
  for (const auto& [from, expected] : cases) EXPECT_EQ(line_start(path, from), expected) << from;
  const std::string long_line = folder.write("long", std::string(200'000, 'x') + "\ny");
  EXPECT_EQ(line_start(long_line, 7), 200'001U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
