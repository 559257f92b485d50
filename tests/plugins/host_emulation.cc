// A plug-in whose device is this machine's processor: the learner of a GPU, run by plain loops. It
// announces itself as "host emulation", is slow, and is never installed. Tests set the memory of
// the device, in bytes, by CANE_HOST_EMULATION_MEMORY.
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "device/host_backend.h"
#include "device/learner.h"

namespace {

using cane::device::DeviceFacts;
using cane::device::DevicePlugin;
using cane::device::Learner;
using cane::device::LearnerSpec;

int count() {
  return 1;
}

DeviceFacts facts(int) {
  DeviceFacts facts = {.name = "host emulation", .memory = std::uint64_t{4} << 30};
  if (const char* const memory = std::getenv("CANE_HOST_EMULATION_MEMORY")) {
    facts.memory = std::stoull(memory);
  }
  facts.free_memory = facts.memory;
  return facts;
}

std::unique_ptr<Learner> make_learner(const LearnerSpec& spec, int) {
  if (cane::device::host_bytes(spec) > facts(0).free_memory) {
    throw std::runtime_error("a learner was asked for that does not fit");
  }
  return cane::device::make_host_learner(spec);
}

}  // namespace

extern "C" const void* cane_device_plugin() {
  static const DevicePlugin plugin = {.interface_version = cane::device::kInterfaceVersion,
                                      .count = count,
                                      .facts = facts,
                                      .needed_bytes = cane::device::host_bytes,
                                      .make_learner = make_learner};
  return &plugin;
}
