// Lets a test see the plug-ins of one folder of tests/plugins, and nothing of the machine's.
#pragma once

#include <stdlib.h>

#include <string>

#include "core/base/plugin.h"

namespace cane::testing {

/// The path of this folder of tests/plugins.
std::string plugin_folder(const std::string& name);

class PluginPath {
 public:
  /// `folder`: of tests/plugins, or a path of its own.
  explicit PluginPath(const std::string& folder);
  ~PluginPath() { ::unsetenv(kPluginPathVariable); }
  PluginPath(const PluginPath&) = delete;
  PluginPath& operator=(const PluginPath&) = delete;
};

}  // namespace cane::testing
