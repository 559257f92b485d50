// Plug-ins for devices that cannot be used, each for a reason of its own, which CMakeLists.txt
// defines: another version of the interface, no driver, no device, or one that is too small.
#include <stdexcept>

#include "device/learner.h"

namespace {

using cane::device::DeviceFacts;
using cane::device::DevicePlugin;
using cane::device::Learner;
using cane::device::LearnerSpec;

int count() {
#ifdef PLUGIN_HAS_NO_DRIVER
  throw std::runtime_error("CUDA driver version is insufficient for CUDA runtime version");
#endif
  return PLUGIN_DEVICES;
}

DeviceFacts facts(int) {
  return {.name = "too small", .memory = 64 << 20, .free_memory = 32 << 20, .major = 9};
}

std::uint64_t needed_bytes(const LearnerSpec&) {
  return std::uint64_t{3} << 30;
}

std::unique_ptr<Learner> make_learner(const LearnerSpec&, int) {
  throw std::runtime_error("nobody should ask for a learner");
}

}  // namespace

extern "C" const void* cane_device_plugin() {
  static const DevicePlugin plugin = {.interface_version = PLUGIN_VERSION,
                                      .count = count,
                                      .facts = facts,
                                      .needed_bytes = needed_bytes,
                                      .make_learner = make_learner};
  return &plugin;
}
