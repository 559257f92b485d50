#include "support/plugin_path.h"

namespace cane::testing {

PluginPath::PluginPath(const std::string& folder) {
  const std::string path =
      folder.starts_with('/') ? folder : std::string(CANE_TEST_PLUGINS) + "/" + folder;
  ::setenv(kPluginPathVariable, path.c_str(), 1);
}

}  // namespace cane::testing
