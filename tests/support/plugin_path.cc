#include "support/plugin_path.h"

namespace cane::testing {

std::string plugin_folder(const std::string& name) {
  return std::string(CANE_TEST_PLUGINS) + "/" + name;
}

PluginPath::PluginPath(const std::string& folder) {
  const std::string path = folder.starts_with('/') ? folder : plugin_folder(folder);
  ::setenv(kPluginPathVariable, path.c_str(), 1);
}

}  // namespace cane::testing
