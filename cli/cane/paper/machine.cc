#include "cli/cane/paper/machine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/base/memory.h"
#include "core/base/thread_pool.h"
#include "core/base/words.h"

namespace cane::cli::paper {
namespace {

// The value after the colon of the first line that begins with the name.
std::string value_in(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with(name) || colon == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

}  // namespace

std::string gpu_text() {
  const std::filesystem::path folder = "/proc/driver/nvidia/gpus";
  std::error_code error;
  for (const auto& gpu : std::filesystem::directory_iterator(folder, error)) {
    return value_in((gpu.path() / "information").string(), "Model");
  }
  return {};
}

std::string machine_text() {
  std::string processor = value_in("/proc/cpuinfo", "model name");
  if (processor.empty()) processor = "a processor that the system does not name";
  const auto memory = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
  const std::string gpu = gpu_text();
  return fmt::format("{}, {} cores, {}{}", processor, available_cores(), bytes_as_text(memory),
                     gpu.empty() ? "" : ", " + gpu);
}

}  // namespace cane::cli::paper
