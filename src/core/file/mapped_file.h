// A file mapped read-only into memory, or an Error that says why not.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace cane {

class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Hints to the system about parts of a mapped file. They change when pages come and go, never what
// is read. Not for other memory: dropping its pages would lose them.

/// They will be needed soon.
void fetch_pages(std::span<const std::byte> mapped);
/// A page that is touched shall not bring two megabytes along.
void avoid_large_pages(std::span<const std::byte> mapped);
/// They will not be needed for a while.
void drop_pages(std::span<const std::byte> mapped);

}  // namespace cane
