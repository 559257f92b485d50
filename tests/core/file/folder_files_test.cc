#include "core/file/folder_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cane/error.h"
#include "core/file/cache_source.h"
#include "core/file/checksum.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

TEST(FolderFiles, AreThoseOfData) {
  const testing::TemporaryFolder folder;
  const std::string second = folder.write("b", "2");
  const std::string first = folder.write("a", "1");
  folder.write("_SUCCESS", "");
  folder.write(".hidden", "");
  std::filesystem::create_directory(folder.path("c"));
  std::filesystem::create_symlink(second, folder.path("d"));
  std::filesystem::create_symlink(folder.path("nothing"), folder.path("e"));
  const std::string path = std::filesystem::path(first).parent_path().string();
  EXPECT_TRUE(is_folder(path));
  EXPECT_FALSE(is_folder(first));
  EXPECT_EQ(files_of_folder(path), (std::vector<std::string>{first, second, folder.path("d")}));
  EXPECT_THROW(files_of_folder(first), Error);
}

TEST(FolderFiles, HaveAStampThatChangesWithAnyOfThem) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("a", "1");
  folder.write("b", "2");
  const std::string path = std::filesystem::path(file).parent_path().string();
  const auto before = stamp_of(path);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->bytes, 2U);
  EXPECT_EQ(stamp_of(path), before);
  std::filesystem::rename(file, folder.path("c"));
  EXPECT_NE(stamp_of(path), before);
  EXPECT_THROW(check_unchanged(path, before), Error);
}

TEST(FolderFiles, AreWhatTheChecksumIsOf) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("a", "1");
  const std::string path = std::filesystem::path(file).parent_path().string();
  EXPECT_EQ(file_checksum(std::vector{path, file}), file_checksum(std::vector{file}));
}

TEST(FolderFiles, HaveTheNameOfTheFolder) {
  EXPECT_EQ(last_name("data/parts"), "parts");
  EXPECT_EQ(last_name("data/parts/"), "parts");
  EXPECT_EQ(last_name("file.csv"), "file.csv");
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
