#include "core/file/atomic_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
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

  // What a killed writer of this name leaves: the system takes its lock away.
  std::string abandoned(const std::string& name) const {
    const TemporaryFile left = create_temporary(in_folder(name));
    ::close(left.descriptor);
    return left.path;
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
  const std::string left = abandoned("f");
  const std::string of_another = abandoned("g");
  const std::string moved = in_folder("f.tmp.7");
  fs::rename(abandoned("f"), moved);
  folder_.write("f.tmp.1", "mine");
  folder_.write("f.tmp.notes", "mine");
  fs::create_symlink(fs::path(of_another).filename(), in_folder("f.tmp.5"));
  EXPECT_TRUE(is_temporary(left));
  EXPECT_FALSE(is_temporary(moved));
  EXPECT_FALSE(is_temporary(in_folder("f.tmp.1")));
  replace(in_folder("f"), "new");
  EXPECT_FALSE(fs::exists(left));
  for (const char* name : {"f.tmp.1", "f.tmp.7", "f.tmp.notes"}) {
    EXPECT_TRUE(fs::exists(in_folder(name))) << name;
  }
  EXPECT_TRUE(fs::exists(of_another));
  EXPECT_TRUE(fs::is_symlink(in_folder("f.tmp.5")));
  EXPECT_FALSE(is_temporary(in_folder("f")));
}

// A writer whose pipe is opened for a moment goes on, and is killed by its next write.
TEST_F(AtomicFileTest, LooksAtAPipeWithoutWakingItsWriter) {
  const std::string pipe = in_folder("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::atomic<bool> awake = false;
  std::thread writer([&] {
    const int descriptor = ::open(pipe.c_str(), O_WRONLY);
    awake = true;
    ::close(descriptor);
  });
  const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(100)); };
  wait();
  EXPECT_FALSE(is_temporary(pipe));
  wait();
  EXPECT_FALSE(awake);
  // Open for both: the thread ends whether it is awake or not.
  const int reader = ::open(pipe.c_str(), O_RDWR | O_NONBLOCK);
  writer.join();
  ::close(reader);
}

TEST_F(AtomicFileTest, OfACacheReplacesALinkAndHasTheGivenMode) {
  folder_.write("target", "mine");
  fs::create_symlink("target", in_folder("f"));
  AtomicFile file(in_folder("f"), 0640);
  file.write("cached");
  file.commit();
  EXPECT_FALSE(fs::is_symlink(in_folder("f")));
  EXPECT_EQ(testing::TemporaryFolder::read(in_folder("target")), "mine");
  EXPECT_EQ(fs::status(in_folder("f")).permissions(), fs::perms(0640));
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
