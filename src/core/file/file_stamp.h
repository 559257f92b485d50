// Tells whether a file has changed: which file it is, its size, and when it was written last.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cane {

struct FileStamp {
  std::uint64_t file = 0;  // of the file behind the name
  std::uint64_t bytes = 0;
  std::int64_t time = 0;  // of the last change, in ns
  bool operator==(const FileStamp&) const = default;
};

/// None if there is no such file, and for what is no regular file.
std::optional<FileStamp> stamp_of(const std::string& path);

/// Throws Error if the file that had the stamp `before` was written to since. A new file under the
/// same name is no harm to whoever has the old one open.
void check_unchanged(const std::string& path, const std::optional<FileStamp>& before);

}  // namespace cane
