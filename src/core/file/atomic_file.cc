#include "core/file/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "cane/error.h"

namespace cane {

AtomicFile::AtomicFile(const std::string& path)
    : path_(path), temporary_path_(fmt::format("{}.tmp.{}", path, ::getpid())) {
  descriptor_ = ::open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("create");
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_path_.c_str());
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
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("write");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

void AtomicFile::set_size(std::uint64_t bytes) {
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) fail("write");
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail("sync");
  if (::rename(temporary_path_.c_str(), path_.c_str()) != 0) fail("rename");
  ::close(descriptor_);
  descriptor_ = -1;
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const int folder_descriptor =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_descriptor >= 0) {
    ::fsync(folder_descriptor);
    ::close(folder_descriptor);
  }
}

void AtomicFile::fail(const char* action) const {
  const bool is_full = errno == ENOSPC || errno == EDQUOT;
  throw Error(fmt::format("{}: cannot {}: {}; {}the file keeps its old content, if it had any",
                          path_, action, std::strerror(errno), is_full ? "make room there; " : ""));
}

}  // namespace cane
