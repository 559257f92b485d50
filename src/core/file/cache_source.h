// What the caches of both programs share: whether the file they were made from has changed (which
// file it is, its size, and when it was written last), and the folder they are kept in.
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

/// The first that is set of `chosen`, CANE_CACHE_DIR, XDG_CACHE_HOME/cane and HOME/.cache/cane;
/// empty if none is.
std::string cache_folder(const std::string& chosen);

}  // namespace cane
