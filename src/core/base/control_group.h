// The limit that a container or a service manager sets on this process: Linux control groups,
// version 1 and 2.
#pragma once

#include <cstdint>
#include <string>

namespace cane {

/// Bytes that the strictest of the groups a process belongs to can still give; the largest number
/// if none has a limit. Pages of files count as free: the system takes them back when it needs
/// them. The arguments are for tests.
std::uint64_t control_group_memory(const std::string& membership = "/proc/self/cgroup",
                                   const std::string& mount = "/sys/fs/cgroup");

}  // namespace cane
