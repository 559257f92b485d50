#include "core/file/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "core/file/temporary_file.h"
#include "support/error_text.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

namespace fs = std::filesystem;
using testing::error_text;
using ::testing::HasSubstr;

void replace(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

class AtomicFileTest : public ::testing::Test {
 protected:
  std::string in_folder(const std::string& name) const { return folder_.path(name); }

  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_.path(""))) ++count;
    return count;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(AtomicFileTest, LeavesNothingBehindWithoutCommit) {
  folder_.write("f", "old");
  { AtomicFile(in_folder("f")).write("new"); }
  EXPECT_EQ(testing::TemporaryFolder::read(in_folder("f")), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFileTest, ReplacesTheTargetOfALinkAndKeepsItsPermissions) {
  folder_.write("target", "old");
  ::chmod(in_folder("target").c_str(), 0600);
  fs::create_symlink("target", in_folder("one"));
  fs::create_symlink("one", in_folder("two"));
  replace(in_folder("two"), "new");
  EXPECT_TRUE(fs::is_symlink(in_folder("two")));
  EXPECT_TRUE(fs::is_symlink(in_folder("one")));
  EXPECT_FALSE(fs::is_symlink(in_folder("target")));
  EXPECT_EQ(testing::TemporaryFolder::read(in_folder("target")), "new");
  EXPECT_EQ(fs::status(in_folder("target")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(AtomicFileTest, CreatesTheTargetOfALinkThatLeadsNowhere) {
  fs::create_symlink("later", in_folder("link"));
  replace(in_folder("link"), "new");
  EXPECT_TRUE(fs::is_symlink(in_folder("link")));
  EXPECT_EQ(testing::TemporaryFolder::read(in_folder("later")), "new");
}

TEST_F(AtomicFileTest, WritesDevicesAndFifosInPlace) {
  replace("/dev/null", "nothing");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  const std::string fifo = in_folder("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = testing::TemporaryFolder::read(fifo); });
  replace(fifo, "through it");
  reader.join();
  EXPECT_EQ(received, "through it");
  EXPECT_TRUE(fs::is_fifo(fifo));
}

TEST_F(AtomicFileTest, RefusesFoldersAndCircles) {
  EXPECT_THAT(error_text([&] { AtomicFile file(folder_.path("")); }), HasSubstr("folder"));
  fs::create_symlink("circle", in_folder("circle"));
  EXPECT_THAT(error_text([&] { AtomicFile file(in_folder("circle")); }), HasSubstr("circle"));
}

TEST_F(AtomicFileTest, RemovesWhatAKilledWriterLeftAndNothingElse) {
  folder_.write("f.tmp.1", "half");
  folder_.write("f.tmp.23-4", "half");
  folder_.write("f.tmp.notes", "mine");
  folder_.write("g.tmp.1", "of another name");
  fs::create_symlink("g.tmp.1", in_folder("f.tmp.5"));
  replace(in_folder("f"), "new");
  EXPECT_FALSE(fs::exists(in_folder("f.tmp.1")));
  EXPECT_FALSE(fs::exists(in_folder("f.tmp.23-4")));
  EXPECT_TRUE(fs::exists(in_folder("f.tmp.notes")));
  EXPECT_TRUE(fs::exists(in_folder("g.tmp.1")));
  EXPECT_TRUE(fs::is_symlink(in_folder("f.tmp.5")));
}

TEST_F(AtomicFileTest, WritersOfTheSameNameDoNotMeet) {
  AtomicFile one(in_folder("f"));
  AtomicFile other(in_folder("f"));
  one.write("one");
  other.write("other");
  EXPECT_EQ(remove_abandoned(in_folder("f")), 0U);
  one.commit();
  EXPECT_EQ(testing::TemporaryFolder::read(in_folder("f")), "one");
  other.commit();
  EXPECT_EQ(testing::TemporaryFolder::read(in_folder("f")), "other");
  EXPECT_EQ(files(), 1U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
