#include "core/file/cache_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "cane/error.h"
#include "core/file/temporary_file.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

class CacheFolder : public ::testing::Test {
 protected:
  // A cache of 100 bytes that was used at this second.
  std::string add(const std::string& name, std::int64_t second) const {
    const std::string path = folder_.write(name, std::string(100, 'x'));
    const timespec times[2] = {{second, 0}, {second, 0}};
    ::utimensat(AT_FDCWD, path.c_str(), times, 0);
    return path;
  }
  std::string folder() const { return folder_.path(""); }

  testing::TemporaryFolder folder_;
};

TEST_F(CacheFolder, ListsCachesOnlyThoseUsedLastFirst) {
  add("old.cane-cache", 1000);
  add("new.cane-tokens", 2000);
  add("notes.txt", 3000);
  const std::vector<CachedFile> files = caches_in(folder());
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].path, folder_.path("new.cane-tokens"));
  EXPECT_EQ(files[1].bytes, 100U);
  EXPECT_TRUE(caches_in(folder_.path("nowhere")).empty());
}

TEST_F(CacheFolder, TheOldestGoFirst) {
  add("1.cane-cache", 1000);
  add("2.cane-cache", 2000);
  const std::string third = add("3.cane-cache", 3000);
  add("notes.txt", 1);
  mark_used(folder_.path("1.cane-cache"));
  EXPECT_TRUE(trim_caches(folder(), 300).empty());
  const auto removed = trim_caches(folder(), 299);
  ASSERT_EQ(removed.size(), 1U);
  EXPECT_EQ(removed[0].path, folder_.path("2.cane-cache"));
  EXPECT_EQ(trim_caches(folder(), 0, third).size(), 1U);
  EXPECT_TRUE(std::filesystem::exists(third));
  EXPECT_TRUE(std::filesystem::exists(folder_.path("notes.txt")));
}

TEST_F(CacheFolder, TemporaryFilesGoUnlessTheyAreBeingWritten) {
  const TemporaryFile left = create_temporary(folder_.path("a.cane-cache"));
  ::close(left.descriptor);
  const TemporaryFile written = create_temporary(folder_.path("b.cane-cache"));
  folder_.write("c.cane-cache.tmp.1", "mine");
  trim_caches(folder(), 1000);
  EXPECT_FALSE(std::filesystem::exists(left.path));
  EXPECT_TRUE(std::filesystem::exists(written.path));
  EXPECT_TRUE(std::filesystem::exists(folder_.path("c.cane-cache.tmp.1")));
  ::close(written.descriptor);
}

TEST(Bytes, AreReadWithUnits) {
  EXPECT_EQ(parse_bytes("x", "0"), 0U);
  EXPECT_EQ(parse_bytes("x", "1000"), 1000U);
  EXPECT_EQ(parse_bytes("x", "3K"), 3072U);
  EXPECT_EQ(parse_bytes("x", "2T"), std::uint64_t{2} << 40);
  for (const char* text : {"", "G", "1g", "1GB", "-1", "1.5G", "99999999999T", " 1"}) {
    EXPECT_THROW(parse_bytes("x", text), Error) << text;
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
