#include "core/file/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "cane/error.h"
#include "core/file/temporary_file.h"

namespace cane {

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(output_target(path)) {
  if (target_.is_stream) {
    descriptor_ = ::open(target_.path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("open");
  } else {
    struct stat before {};
    const bool replaces = target_.is_present && ::stat(target_.path.c_str(), &before) == 0;
    create_temporary_file(replaces ? 0600 : 0666);
    if (!replaces) return;
    // Only root may give a file away; for others it stays theirs.
    [[maybe_unused]] const int given = ::fchown(descriptor_, before.st_uid, before.st_gid);
    ::fchmod(descriptor_, before.st_mode & 0777U);
  }
}

AtomicFile::AtomicFile(const std::string& path, mode_t mode) : path_(path), target_({path}) {
  create_temporary_file(0600);
  ::fchmod(descriptor_, mode);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  // First the name: a file that has one but no lock looks abandoned.
  if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
  ::close(descriptor_);
}

void AtomicFile::create_temporary_file(mode_t mode) {
  remove_abandoned(target_.path);
  TemporaryFile created = create_temporary(target_.path, mode);
  temporary_path_ = std::move(created.path);
  descriptor_ = created.descriptor;
  if (descriptor_ < 0) fail("create");
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  constexpr std::size_t kLargestWrite = std::size_t{1} << 30;
  while (!bytes.empty()) {
    const ssize_t written =
        ::write(descriptor_, bytes.data(), std::min(bytes.size(), kLargestWrite));
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("write");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (!write_range(descriptor_, offset, bytes)) fail("write");
}

void AtomicFile::set_size(std::uint64_t bytes) {
  if (target_.is_stream) return;
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) fail("write");
}

void AtomicFile::commit() {
  if (target_.is_stream) {
    if (::close(std::exchange(descriptor_, -1)) != 0) fail("write");
    return;
  }
  if (::fsync(descriptor_) != 0) fail("sync");
  if (::rename(temporary_path_.c_str(), target_.path.c_str()) != 0) fail("rename");
  unmark_temporary(descriptor_);
  ::close(std::exchange(descriptor_, -1));
  sync_folder();
}

void AtomicFile::sync_folder() const {
  const std::string folder = std::filesystem::path(target_.path).parent_path().string();
  const int descriptor =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

void fail_to_write(const std::string& path, const char* action) {
  const char* const remedy = errno == ENOSPC || errno == EDQUOT ? "make room there; "
                             : errno == EFBIG ? "raise the limit on the size of files (ulimit -f); "
                                              : "";
  throw Error(fmt::format("{}: cannot {}: {}; {}the file keeps its old content, if it had any",
                          path, action, std::strerror(errno), remedy));
}

void AtomicFile::fail(const char* action) const {
  if (!target_.is_stream) fail_to_write(path_, action);
  throw Error(fmt::format("{}: cannot {}: {}; choose the name of a file", path_, action,
                          std::strerror(errno)));
}

bool write_range(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes) {
  constexpr std::size_t kLargestWrite = std::size_t{1} << 30;
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor, bytes.data(), std::min(bytes.size(), kLargestWrite),
                 static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return true;
}

}  // namespace cane
