#include "device/open_device.h"

#include <fmt/format.h>

#include "core/base/plugin.h"
#include "methods/device.h"

namespace cane::device {
namespace {

constexpr const char* kBuiltBy = "make gpu";
constexpr const char* kOtherwise = "or use `device cpu`";

// The plug-ins for devices that there are.
constexpr const char* kKinds[] = {"cuda"};

const DevicePlugin& table_of(const LoadedPlugin& loaded) {
  return *static_cast<const DevicePlugin*>(loaded.table);
}

LoadedPlugin load(const std::string& kind) {
  return load_plugin(kind, kPluginFunction, kInterfaceVersion);
}

std::string text_of(const LoadedPlugin& loaded, const std::string& kind) {
  return problem_text(loaded, kind, kInterfaceVersion, kBuiltBy);
}

int count_devices(const DevicePlugin& plugin, const std::string& option) {
  try {
    return plugin.count();
  } catch (const std::runtime_error& error) {
    throw DeviceError(fmt::format(
        "`{}`: the driver of the GPU does not answer: {}; install or update it (nvidia-smi shows "
        "whether it works), {}",
        option, error.what(), kOtherwise));
  }
}

}  // namespace

OpenDevice open_device(const std::string& device) {
  const DeviceName name = parse_device(device);
  const std::string option = fmt::format("device {}", device);
  const LoadedPlugin loaded = load(name.kind);
  if (loaded.problem != PluginProblem::kNone) {
    throw DeviceError(fmt::format("`{}`: {}, {}", option, text_of(loaded, name.kind), kOtherwise));
  }
  const DevicePlugin& plugin = table_of(loaded);
  const int count = count_devices(plugin, option);
  if (count == 0) {
    throw DeviceError(fmt::format(
        "`{}`: there is no GPU here, or CUDA_VISIBLE_DEVICES hides it; use `device cpu`", option));
  }
  if (name.number >= count) {
    throw DeviceError(fmt::format(
        "`{}`: there {} here, and numbers begin with 0; use `device cuda:{}` or below", option,
        count == 1 ? "is one GPU" : fmt::format("are {} GPUs", count), count - 1));
  }
  return {&plugin, name.number, option,
          on_device(option, [&] { return plugin.facts(name.number); })};
}

std::vector<PluginReport> report_plugins() {
  std::vector<PluginReport> reports;
  for (const std::string kind : kKinds) {
    const LoadedPlugin loaded = load(kind);
    if (loaded.problem == PluginProblem::kMissing) continue;
    PluginReport& report = reports.emplace_back(PluginReport{kind, loaded.path.string(), {}, ""});
    if (loaded.problem != PluginProblem::kNone) {
      report.problem = text_of(loaded, kind);
      continue;
    }
    const DevicePlugin& plugin = table_of(loaded);
    try {
      const int count = plugin.count();
      for (int i = 0; i < count; ++i) report.devices.push_back(plugin.facts(i));
      if (count == 0) report.problem = "there is no GPU";
    } catch (const std::runtime_error& error) {
      report.problem = error.what();
    }
  }
  return reports;
}

}  // namespace cane::device
