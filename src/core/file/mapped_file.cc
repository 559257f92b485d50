#include "core/file/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "cane/error.h"

namespace cane {
namespace {

void hint_pages(std::span<const std::byte> mapped, int advice) {
  if (mapped.empty()) return;
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(mapped.data());
  const std::uintptr_t begin = address / page * page;
  ::madvise(reinterpret_cast<void*>(begin), address - begin + mapped.size(), advice);
}

std::int64_t time_of(const struct stat& status) {
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

}  // namespace

MappedFile::MappedFile(const std::string& path, Trust trust) : path_(path) {
  // Opening a FIFO would wait for its writer.
  const int descriptor = ::open(
      path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | (trust == Trust::kOwn ? O_NOFOLLOW : 0));
  if (descriptor < 0) throw Error(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    throw Error(fmt::format("{}: not a regular file", path));
  }
  if (trust == Trust::kOwn && status.st_uid != ::geteuid() && status.st_uid != 0) {
    ::close(descriptor);
    throw Error(fmt::format("{}: it belongs to another user", path));
  }
  size_ = static_cast<std::size_t>(status.st_size);
  time_ = time_of(status);
  if (size_ > 0) {
    void* address = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    const int map_error = errno;
    if (address == MAP_FAILED) {
      ::close(descriptor);
      throw Error(fmt::format("{}: cannot map into memory: {}", path, std::strerror(map_error)));
    }
    data_ = static_cast<const std::byte*>(address);
  }
  descriptor_ = descriptor;
}

MappedFile::MappedFile(const std::string& name, std::span<const std::byte> content)
    : path_(name), size_(content.size()) {
  if (size_ == 0) return;
  void* address =
      ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) throw std::bad_alloc();
  std::memcpy(address, content.data(), size_);
  data_ = static_cast<const std::byte*>(address);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      time_(other.time_) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(time_, other.time_);
  return *this;
}

void MappedFile::check_unchanged() const {
  if (descriptor_ < 0) return;
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && static_cast<std::size_t>(status.st_size) == size_ &&
      time_of(status) == time_) {
    return;
  }
  throw Error(fmt::format(
      "{}: somebody has written into the file while it was in use; run again with the new file, "
      "and replace files by renaming a complete one",
      path_));
}

void fetch_pages(std::span<const std::byte> mapped) {
  hint_pages(mapped, MADV_WILLNEED);
}

void avoid_large_pages(std::span<const std::byte> mapped) {
#ifdef MADV_NOHUGEPAGE
  hint_pages(mapped, MADV_NOHUGEPAGE);
#endif
}

void drop_pages(std::span<const std::byte> mapped) {
  hint_pages(mapped, MADV_DONTNEED);
}

}  // namespace cane
