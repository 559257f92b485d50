#include "core/file/cache_folder.h"

#include <cstdlib>

namespace cane {

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
