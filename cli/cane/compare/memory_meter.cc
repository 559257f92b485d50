#include "cli/cane/compare/memory_meter.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace cane::cli {
namespace {

std::optional<std::uint64_t> status_bytes(const std::string& wanted) {
  std::ifstream file("/proc/self/status");
  std::string name;
  while (file >> name) {
    std::uint64_t kibibytes = 0;
    if (name == wanted && file >> kibibytes) return kibibytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::nullopt;
}

bool reset_peak() {
  std::ofstream file("/proc/self/clear_refs");
  return static_cast<bool>(file << "5" << std::flush);
}

}  // namespace

MemoryMeter::MemoryMeter() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
  if (reset_peak()) before_ = status_bytes("VmRSS:");
}

std::optional<std::uint64_t> MemoryMeter::peak_bytes() const {
  const std::optional<std::uint64_t> peak = before_ ? status_bytes("VmHWM:") : std::nullopt;
  if (!peak) return std::nullopt;
  return *peak - std::min(*peak, *before_);
}

}  // namespace cane::cli
