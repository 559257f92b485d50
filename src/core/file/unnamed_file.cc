#include "core/file/unnamed_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "cane/error.h"
#include "core/file/atomic_file.h"
#include "core/file/cache_folder.h"

namespace cane {

UnnamedFile::UnnamedFile(const std::string& folder) : folder_(folder) {
  make_cache_folder(folder);
  std::string path = folder + "/unnamed-XXXXXX";
  descriptor_ = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail("write");
  ::unlink(path.c_str());
}

UnnamedFile::~UnnamedFile() {
  if (mapped_ != nullptr) ::munmap(mapped_, mapped_bytes_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

UnnamedFile::UnnamedFile(UnnamedFile&& other) noexcept
    : folder_(std::move(other.folder_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      mapped_(std::exchange(other.mapped_, nullptr)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)) {}

void UnnamedFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
  if (!write_range(descriptor_, offset, bytes)) fail("write");
}

void UnnamedFile::read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read");
    if (count == 0) throw Error(fmt::format("{}: cannot read: a file ends too early", folder_));
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

std::span<const std::byte> UnnamedFile::map(std::uint64_t bytes) {
  if (bytes == 0) return {};
  void* const address = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  if (address == MAP_FAILED) fail("map into memory");
  mapped_ = address;
  mapped_bytes_ = bytes;
  return {static_cast<const std::byte*>(address), mapped_bytes_};
}

void UnnamedFile::fail(const char* action) const {
  throw Error(fmt::format("{}: cannot {}: {}", folder_, action, std::strerror(errno)));
}

}  // namespace cane
