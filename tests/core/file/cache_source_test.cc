#include "core/file/cache_source.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/error_text.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

TEST(FileStamp, TellsOfAFileThatIsWrittenTo) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("data", "1 2\n");
  const auto before = stamp_of(path);
  ASSERT_TRUE(before);
  EXPECT_NO_THROW(check_unchanged(path, before));
  folder.write("data", "1 2\n3 4\n");
  EXPECT_EQ(testing::error_text([&] { check_unchanged(path, before); }),
            path +
                ": it was written to while it was read (4 bytes before, 8 now); start again when "
                "it is complete");
}

TEST(FileStamp, LetsAnotherFileTakeTheName) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("data", "1 2\n");
  const auto before = stamp_of(path);
  std::filesystem::rename(folder.write("new", "1 2\n3 4\n"), path);
  EXPECT_NO_THROW(check_unchanged(path, before));
  std::filesystem::remove(path);
  EXPECT_NO_THROW(check_unchanged(path, before));
  EXPECT_FALSE(stamp_of(path));
  EXPECT_FALSE(stamp_of("/dev/null"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
