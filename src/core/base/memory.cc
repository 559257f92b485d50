#include "core/base/memory.h"

#include <fmt/format.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>

#include "cane/error.h"

namespace cane {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

struct FileNames {
  const char* limit;
  const char* usage;
  // Lines of memory.stat.
  const char* active_files;
  const char* inactive_files;
};
constexpr FileNames kVersion1 = {"/memory.limit_in_bytes", "/memory.usage_in_bytes",
                                 "total_active_file", "total_inactive_file"};
constexpr FileNames kVersion2 = {"/memory.max", "/memory.current", "active_file", "inactive_file"};

std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;  // no such file, or the word "max"
}

std::uint64_t free_in_group(const std::string& folder, const FileNames& names) {
  const auto limit = number_in(folder + names.limit);
  const auto usage = number_in(folder + names.usage);
  if (!limit || !usage) return kNoLimit;
  std::uint64_t files = 0;
  std::ifstream statistics(folder + "/memory.stat");
  std::string name;
  std::uint64_t number = 0;
  while (statistics >> name >> number) {
    if (name == names.active_files || name == names.inactive_files) files += number;
  }
  const std::uint64_t needed = *usage - std::min(files, *usage);
  return *limit - std::min(needed, *limit);
}

// Groups lie within each other; in a container the path may begin outside of what is mounted.
std::uint64_t free_on_path(const std::string& mount, std::string path, const FileNames& names) {
  std::uint64_t least = kNoLimit;
  while (true) {
    if (path == "/") path.clear();
    least = std::min(least, free_in_group(mount + path, names));
    if (path.empty()) return least;
    path.erase(path.rfind('/'));
  }
}

}  // namespace

std::uint64_t control_group_memory(const std::string& membership, const std::string& mount) {
  std::uint64_t least = kNoLimit;
  std::ifstream file(membership);
  std::string line;  // number:controllers:/path
  while (std::getline(file, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos || line.compare(second + 1, 1, "/") != 0) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") {
      least = std::min(least, free_on_path(mount, path, kVersion2));
    } else if (controllers.find(",memory,") != std::string::npos) {
      least = std::min(least, free_on_path(mount + "/memory", path, kVersion1));
    }
  }
  return least;
}

std::uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  while (file >> name) {
    std::uint64_t kibibytes = 0;
    if (name == "MemAvailable:" && file >> kibibytes) {
      return std::min(kibibytes * 1024, control_group_memory());
    }
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

bool is_large(std::uint64_t bytes) {
  constexpr std::uint64_t kModest = std::uint64_t{256} << 20;
  constexpr std::uint64_t kTiny = std::uint64_t{1} << 20;
  if (bytes <= kTiny) return false;
  const std::uint64_t available = available_memory();
  return bytes > kModest || (available > 0 && bytes > available / 2);
}

void return_freed_memory() {
  // One at a time: under a sanitizer, which has an allocator of its own, that of the C library is
  // made here, and not by two threads at once.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

std::string bytes_as_text(std::uint64_t bytes) {
  const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024.0 && unit + 1 < std::size(units)) {
    amount /= 1024.0;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", amount, unit == 0 ? 0 : 1, units[unit]);
}

void check_memory_of(const char* field, double bytes) {
  const std::uint64_t available = available_memory();
  if (available == 0 || bytes <= static_cast<double>(available)) return;
  constexpr double kMax = 0x1.0p63;
  throw OptionError(field,
                    fmt::format("this needs {} of memory, and only {} are free",
                                bytes_as_text(static_cast<std::uint64_t>(std::min(bytes, kMax))),
                                bytes_as_text(available)),
                    "take fewer");
}

}  // namespace cane
