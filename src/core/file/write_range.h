// Writing at a given offset of an open file, until all is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cane {

/// False if the system refuses, which says why in errno. Thread-safe for disjoint ranges.
bool write_range(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes);

}  // namespace cane
