#include "core/file/joined_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "cane/error.h"
#include "core/file/atomic_file.h"

namespace cane {
namespace {

constexpr const char* kShareTheFolder =
    "its folder must be on a file system that all machines share, under the same name";

}  // namespace

FileToJoin file_to_join(const std::string& path, const AtomicFile& file) {
  struct stat status {};
  if (::fstat(file.descriptor(), &status) != 0) fail_to_write(path, "write");
  return {static_cast<std::uint64_t>(status.st_size), static_cast<std::uint64_t>(status.st_ino),
          file.temporary_path().empty() ? path : file.temporary_path()};
}

JoinedFile::JoinedFile(std::string path, const FileToJoin& file)
    : path_(std::move(path)), descriptor_(::open(file.path.c_str(), O_WRONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw Error(fmt::format("{}: cannot open {}, which another rank has made: {}; {}", path_,
                            file.path, std::strerror(errno), kShareTheFolder));
  }
  try {
    check_is(file);
  } catch (const Error&) {
    ::close(descriptor_);
    throw;
  }
}

JoinedFile::~JoinedFile() {
  ::close(descriptor_);
}

// Devices are the same on every machine, and are written in place.
void JoinedFile::check_is(const FileToJoin& file) const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail_to_write(path_, "write");
  if (!S_ISREG(status.st_mode)) return;
  if (static_cast<std::uint64_t>(status.st_size) == file.bytes &&
      static_cast<std::uint64_t>(status.st_ino) == file.number) {
    return;
  }
  throw Error(fmt::format("{}: {} is not the file that another rank has made; {}", path_, file.path,
                          kShareTheFolder));
}

void JoinedFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (!write_range(descriptor_, offset, bytes)) fail_to_write(path_, "write");
}

void JoinedFile::sync() {
  // EINVAL: a device, which has nothing to sync.
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail_to_write(path_, "sync");
}

}  // namespace cane
