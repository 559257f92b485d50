// How much memory this machine, or the container that the process runs in, can still give.
#pragma once

#include <cstdint>
#include <string>

namespace cane {

/// Bytes that can be had without swapping; 0 if that cannot be found out.
std::uint64_t available_memory();

/// The limit that a container or a service manager sets (Linux control groups, versions 1 and 2).
/// Bytes that the strictest of the groups a process belongs to can still give; the largest number
/// if none has a limit. Pages of files count as free: the system takes them back when it needs
/// them. The arguments are for tests.
std::uint64_t control_group_memory(const std::string& membership = "/proc/self/cgroup",
                                   const std::string& mount = "/sys/fs/cgroup");

/// More than half of the available memory, or than a program among others should take: better not
/// to have it in memory as a whole.
bool is_large(std::uint64_t bytes);

/// Gives the system back what was freed. Allocators keep it otherwise, and the peak of one phase
/// comes on top of the next.
void return_freed_memory();

/// "1.5 GiB"
std::string bytes_as_text(std::uint64_t bytes);

}  // namespace cane
