#include "cane/version.h"

#include <fmt/format.h>

#include "commit/commit.h"
#include "core/base/memory.h"
#include "core/parallel/open_mpi.h"
#include "core/simd/block_kernels.h"
#include "device/open_device.h"

namespace cane {

std::string version() {
  return CANE_VERSION;
}

std::string commit() {
  return CANE_COMMIT;
}

std::string instruction_set() {
  return kernel_target();
}

std::vector<Plugin> plugins() {
  std::vector<Plugin> found;
  for (const device::PluginReport& report : device::report_plugins()) {
    Plugin& plugin = found.emplace_back(Plugin{report.name, report.path, {}, "", report.problem});
    for (std::size_t i = 0; i < report.devices.size(); ++i) {
      plugin.devices.push_back(fmt::format("{}:{} {}, {}", report.name, i, report.devices[i].name,
                                           bytes_as_text(report.devices[i].memory)));
    }
  }
  const MpiReport mpi = report_mpi();
  if (!mpi.path.empty()) found.push_back({"mpi", mpi.path, {}, mpi.library, mpi.problem});
  return found;
}

}  // namespace cane
