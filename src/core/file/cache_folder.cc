#include "core/file/cache_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string_view>

#include "cane/error.h"
#include "core/file/temporary_file.h"

namespace cane {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLimitVariable = "CANE_CACHE_LIMIT";
constexpr std::uint64_t kDefaultLimit = std::uint64_t{10} << 30;

bool is_cache_name(std::string_view name) {
  return name.ends_with(kDataCacheEnding) || name.ends_with(kTokenCacheEnding);
}

// The name of a temporary file without what its writer added.
std::string_view target_name(const std::string& name) {
  return std::string_view(name).substr(0, name.rfind(".tmp."));
}

template <typename Action>
void for_each_name(const std::string& folder, const Action& action) {
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    action(entry->path().string(), entry->path().filename().string());
  }
}

}  // namespace

void make_cache_folder(const std::string& folder) {
  constexpr mode_t kPrivate = 0700;
  fs::path made;
  for (const fs::path& part : fs::path(folder)) {
    made /= part;
    if (::mkdir(made.c_str(), kPrivate) == 0) continue;
    const int mkdir_error = errno;
    std::error_code ignored;
    if (fs::is_directory(made, ignored)) continue;
    throw Error(
        fmt::format("{}: cannot make the folder: {}", made.string(), std::strerror(mkdir_error)));
  }
}

mode_t mode_of_cache(const std::string& source) {
  constexpr mode_t kOwner = 0600;
  constexpr mode_t kAll = 0644;
  struct stat status {};
  const bool is_file = ::stat(source.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  return kOwner | (is_file ? status.st_mode & kAll : 0);
}

std::vector<CachedFile> caches_in(const std::string& folder) {
  std::vector<CachedFile> files;
  for_each_name(folder, [&](const std::string& path, const std::string& name) {
    struct stat status {};
    if (!is_cache_name(name) || ::lstat(path.c_str(), &status) != 0) return;
    if (!S_ISREG(status.st_mode)) return;
    constexpr std::int64_t kNanoseconds = 1'000'000'000;
    files.push_back({path, static_cast<std::uint64_t>(status.st_size),
                     status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec});
  });
  std::ranges::sort(files, [](const CachedFile& one, const CachedFile& other) {
    return one.used != other.used ? one.used > other.used : one.path < other.path;
  });
  return files;
}

void mark_used(const std::string& path) {
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
}

std::vector<CachedFile> trim_caches(const std::string& folder, std::uint64_t limit,
                                    const std::string& keep) {
  for_each_name(folder, [](const std::string& path, const std::string& name) {
    if (is_cache_name(target_name(name))) remove_if_abandoned(path);
  });
  const std::vector<CachedFile> files = caches_in(folder);
  std::uint64_t bytes = 0;
  for (const CachedFile& file : files) bytes += file.bytes;
  std::vector<CachedFile> removed;
  for (std::size_t i = files.size(); i-- > 0 && bytes > limit;) {
    std::error_code problem;
    if (files[i].path == keep || !fs::remove(files[i].path, problem)) continue;
    bytes -= files[i].bytes;
    removed.push_back(files[i]);
  }
  return removed;
}

std::uint64_t parse_bytes(const std::string& name, const std::string& text) {
  constexpr std::string_view kUnits = "KMGT";
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const std::size_t unit = rest == end ? 0 : kUnits.find(*rest) + 1;
  const bool is_read = error == std::errc() && (rest == end || (unit > 0 && rest + 1 == end));
  const std::uint64_t scale = std::uint64_t{1} << (10 * unit);
  if (!is_read || number > std::numeric_limits<std::uint64_t>::max() / scale) {
    throw Error(fmt::format(
        "{}: '{}' does not fit; give a number of bytes, or one such as 500M or 20G", name, text));
  }
  return number * scale;
}

std::uint64_t cache_limit() {
  const char* const value = std::getenv(kLimitVariable);
  if (value == nullptr || *value == '\0') return kDefaultLimit;
  return parse_bytes(kLimitVariable, value);
}

}  // namespace cane
