#include "core/file/unnamed_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cane/error.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

using ::testing::StartsWith;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// As if the disk were full behind so many bytes of a file.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : before_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit small = {bytes, limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, before_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit limit_{};
  void (*before_)(int);
};

TEST(UnnamedFile, GivesBackWhatWasWrittenAndHasNoName) {
  const testing::TemporaryFolder folder;
  UnnamedFile file(folder.path("new/inner"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("new/inner")));
  file.write_at(4, bytes_of("last"));
  file.write_at(0, bytes_of("1st "));
  std::vector<std::byte> read(5);
  file.read_at(2, read);
  EXPECT_EQ(text_of(read), "t las");
  UnnamedFile moved = std::move(file);
  EXPECT_EQ(text_of(moved.map(8)), "1st last");
}

TEST(UnnamedFile, NamesTheFolderThatIsFullOrCannotBeWritten) {
  const testing::TemporaryFolder folder;
  const UnnamedFile file(folder.path(""));
  {
    const FileLimit limit(10);
    try {
      file.write_at(8, bytes_of("1234"));
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), StartsWith(folder.path("") + ": cannot write: "));
    }
  }
  std::vector<std::byte> beyond(20);
  EXPECT_THROW(file.read_at(0, beyond), Error);
  const std::string other = folder.write("file", "");
  EXPECT_THROW(UnnamedFile{other}, Error);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
