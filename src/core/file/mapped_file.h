// A file mapped read-only into memory, or the bytes of one. The constructors throw Error with the
// reason if that fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace cane {

class MappedFile {
 public:
  /// Who may have written the file, and whether links lead to it.
  enum class Trust {
    kAny,  // whoever it was
    kOwn,  // this user or root, and no link: for files that nobody named
  };
  explicit MappedFile(const std::string& path, Trust trust = Trust::kAny);
  /// A copy of the bytes of a file; `name` stands for its path.
  MappedFile(const std::string& name, std::span<const std::byte> content);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }

  /// Throws Error if somebody has written into the file since it was mapped: by its size and time
  /// of change. A file of the same name that took its place does not count, the mapped one is the
  /// old one still.
  void check_unchanged() const;

 private:
  std::string path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  int descriptor_ = -1;    // of a file
  std::int64_t time_ = 0;  // of the last change, in nanoseconds
};

// Hints to the system about parts of a mapped file. They affect only when pages are loaded and
// freed, never the data. Not for other memory: dropping its pages would lose the contents.

/// The pages will be needed soon.
void fetch_pages(std::span<const std::byte> mapped);
/// Touching a page must not load two megabytes with it.
void avoid_large_pages(std::span<const std::byte> mapped);
/// The pages will not be needed for a while.
void drop_pages(std::span<const std::byte> mapped);

}  // namespace cane
