#include "core/file/cache_source.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <cstdlib>

#include "cane/error.h"
#include "core/file/folder_files.h"

namespace cane {

namespace {

std::int64_t nanoseconds(const struct timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

FileStamp stamp_of_folder(const std::string& folder, std::uint64_t identity) {
  FileStamp stamp = {.file = identity};
  std::uint64_t hash = 0;
  for (const std::string& path : files_of_folder(folder)) {
    const FileStamp file = stamp_of(path).value_or(FileStamp{});
    const std::string text = fmt::format("{} {}", stamp_text(file), path);
    hash = XXH3_64bits_withSeed(text.data(), text.size(), hash);
    stamp.bytes += file.bytes;
  }
  stamp.time = static_cast<std::int64_t>(hash);
  return stamp;
}

}  // namespace

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  if (S_ISDIR(status.st_mode)) return stamp_of_folder(path, status.st_ino);
  if (!S_ISREG(status.st_mode)) return std::nullopt;
  return FileStamp{status.st_ino, static_cast<std::uint64_t>(status.st_size),
                   nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
}

std::string stamp_text(const FileStamp& stamp) {
  return fmt::format("{} {} {} {}", stamp.file, stamp.bytes, stamp.time, stamp.changed);
}

void check_unchanged(const std::string& path, const std::optional<FileStamp>& before) {
  if (!before) return;
  const std::optional<FileStamp> now = stamp_of(path);
  if (!now || now->file != before->file) return;
  // A new link to the file changes neither.
  if (now->bytes == before->bytes && now->time == before->time) return;
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
