// How much memory this machine, or the container around us, can still give.
#pragma once

#include <cstdint>
#include <string>

namespace cane {

/// Bytes that can be had without swapping; 0 if that cannot be found out.
std::uint64_t available_memory();

/// More than half of that, or than a program among others should take: better not to have it in
/// memory as a whole.
bool is_large(std::uint64_t bytes);

/// Gives the system back what was freed. Allocators keep it otherwise, and the peak of one phase
/// comes on top of the next.
void return_freed_memory();

/// "1.5 GiB"
std::string bytes_as_text(std::uint64_t bytes);

}  // namespace cane
