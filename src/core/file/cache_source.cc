#include "core/file/cache_source.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <cstdlib>

#include "cane/error.h"

namespace cane {

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return FileStamp{status.st_ino, static_cast<std::uint64_t>(status.st_size),
                   status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec};
}

void check_unchanged(const std::string& path, const std::optional<FileStamp>& before) {
  if (!before) return;
  const std::optional<FileStamp> now = stamp_of(path);
  if (!now || now->file != before->file || now == before) return;
  throw Error(fmt::format(
      "{}: it was written to while it was read ({} bytes before, {} now); start again when it is "
      "complete",
      path, before->bytes, now->bytes));
}

std::string cache_folder(const std::string& chosen) {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (!chosen.empty()) return chosen;
  if (std::string folder = variable("CANE_CACHE_DIR"); !folder.empty()) return folder;
  if (const std::string folder = variable("XDG_CACHE_HOME"); !folder.empty()) {
    return folder + "/cane";
  }
  if (const std::string folder = variable("HOME"); !folder.empty()) return folder + "/.cache/cane";
  return {};
}

}  // namespace cane
