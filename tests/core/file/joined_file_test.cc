#include "core/file/joined_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_text;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

class JoinedFileTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_.path("f");
};

TEST_F(JoinedFileTest, WritesIntoTheFileThatAnotherCommits) {
  folder_.write("f", "old");
  AtomicFile file(path_);
  file.set_size(6);
  JoinedFile joined(path_, file_to_join(path_, file));
  joined.write_at(3, bytes("def"));
  joined.sync();
  file.write("abc");
  EXPECT_EQ(TemporaryFolder::read(path_), "old");
  file.commit();
  EXPECT_EQ(TemporaryFolder::read(path_), "abcdef");
}

TEST_F(JoinedFileTest, SaysThatTheFileSystemMustBeShared) {
  AtomicFile file(path_);
  FileToJoin elsewhere = file_to_join(path_, file);
  elsewhere.path = folder_.path("not here");
  EXPECT_THAT(error_text([&] { JoinedFile(path_, elsewhere); }),
              HasSubstr("file system that all machines share"));
}

TEST_F(JoinedFileTest, TakesNoOtherFileOfTheSameName) {
  AtomicFile file(path_);
  file.set_size(3);
  FileToJoin to_join = file_to_join(path_, file);
  to_join.path = folder_.write("other", "abc");
  EXPECT_THAT(error_text([&] { JoinedFile(path_, to_join); }),
              HasSubstr("not the file that another rank has made"));
  EXPECT_EQ(TemporaryFolder::read(to_join.path), "abc");
}

TEST_F(JoinedFileTest, ANameIsNotUsedAgain) {
  const AtomicFile first(path_);
  std::string second;
  {
    const AtomicFile file(path_);
    second = file.temporary_path();
  }
  const AtomicFile third(path_);
  EXPECT_NE(third.temporary_path(), second);
  EXPECT_NE(third.temporary_path(), first.temporary_path());
}

TEST_F(JoinedFileTest, SaysThatADiskIsFull) {
  AtomicFile file("/dev/full");
  JoinedFile joined("/dev/full", file_to_join("/dev/full", file));
  EXPECT_THAT(error_text([&] { joined.write_at(0, bytes("abc")); }), HasSubstr("make room"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
