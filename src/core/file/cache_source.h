// Code shared by the caches of both programs: detecting whether the source file has changed (by
// file identity, size and times of change), and choosing the cache folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cane {

struct FileStamp {
  std::uint64_t file = 0;  // identity of the file behind the name
  std::uint64_t bytes = 0;
  std::int64_t time = 0;  // last modification, in ns; of a folder a hash of the stamps of its files
  std::int64_t changed = 0;  // last change of content, name or mode: no program can set it back
  bool operator==(const FileStamp&) const = default;
};

/// Empty if there is neither a regular file nor a folder of this name.
std::optional<FileStamp> stamp_of(const std::string& path);

std::string stamp_text(const FileStamp& stamp);

/// Throws Error if the file with the stamp `before` has been written to since. Replacing it by a
/// new file of the same name is harmless to readers that have the old one open.
void check_unchanged(const std::string& path, const std::optional<FileStamp>& before);

/// The first of `chosen`, CANE_CACHE_DIR, XDG_CACHE_HOME/cane and HOME/.cache/cane that is set;
/// empty if none is.
std::string cache_folder(const std::string& chosen);

}  // namespace cane
