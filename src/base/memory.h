// How much memory this machine, or the container around us, can still give.
#pragma once

#include <cstdint>
#include <string>

namespace cane {

/// Bytes that can be had without swapping; 0 if that cannot be found out.
std::uint64_t available_memory();

/// More than half of that: better not to have it in memory as a whole.
bool is_large(std::uint64_t bytes);

/// "1.5 GiB"
std::string bytes_as_text(std::uint64_t bytes);

}  // namespace cane
