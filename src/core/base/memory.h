// The memory still available on this machine or in the container that the process runs in.
#pragma once

#include <cstdint>
#include <string>

namespace cane {

/// Bytes available without swapping; 0 if unknown.
std::uint64_t available_memory();

/// The limit that a container or a service manager sets (Linux control groups, versions 1 and 2).
/// Bytes that the strictest of the groups a process belongs to can still give; the largest number
/// if none has a limit. Pages of files count as free: the system takes them back when it needs
/// them. The arguments are for tests.
std::uint64_t control_group_memory(const std::string& membership = "/proc/self/cgroup",
                                   const std::string& mount = "/sys/fs/cgroup");

/// More than half of the available memory, or more than one program among others should use: such
/// data should not be held in memory as a whole.
bool is_large(std::uint64_t bytes);

/// Returns freed memory to the system. Otherwise allocators keep it, and the peak of one phase adds
/// to that of the next.
void return_freed_memory();

/// "1.5 GiB", "12 bytes"
std::string bytes_as_text(std::uint64_t bytes);

/// Throws OptionError if an option asks for more memory than is available. A double, because a
/// product of legal numbers may exceed 64 bits.
void check_memory_of(const char* field, double bytes);

}  // namespace cane
