// Devices of plug-in libraries, found and loaded when a training asks for one.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cane/error.h"
#include "device/learner.h"

namespace cane::device {

/// A device that can be used.
struct OpenDevice {
  const DevicePlugin* plugin;
  int number;
  std::string option;  // as messages name it: "device cuda:0"
  DeviceFacts facts;
};

/// Throws DeviceError if there is no plug-in for `device` (cuda or cuda:N), or it is of another
/// version, or there is no driver or no such device; each with the remedy.
OpenDevice open_device(const std::string& device);

/// Does `work` with a device and makes a DeviceError of what its plug-in throws.
template <typename Work>
auto on_device(const std::string& option, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const Error&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw DeviceError("`" + option + "`: " + error.what());
  }
}

/// A plug-in that was found, and its devices; `problem` says why it has none, if it has none.
struct PluginReport {
  std::string name;
  std::string path;
  std::vector<DeviceFacts> devices;
  std::string problem;
};
std::vector<PluginReport> report_plugins();

}  // namespace cane::device
