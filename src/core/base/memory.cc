#include "core/base/memory.h"

#include <fmt/format.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <fstream>
#include <limits>

#include "core/base/control_group.h"

namespace cane {

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
  const std::uint64_t available = available_memory();
  return bytes > kModest || (available > 0 && bytes > available / 2);
}

void return_freed_memory() {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

std::string bytes_as_text(std::uint64_t bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024.0 && unit + 1 < std::size(units)) {
    amount /= 1024.0;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", amount, unit == 0 ? 0 : 1, units[unit]);
}

}  // namespace cane
