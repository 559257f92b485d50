// The most arithmetic that this machine's cores can do: multiply-adds of vectors in registers that
// do not wait for each other, on the instruction set that the library's kernels use.
#pragma once

#include <cstdint>

namespace cane::bench {

/// Does at least `operations` floating-point operations (a multiply-add counts as two) on the
/// calling thread, and returns how many. `result` keeps the compiler from leaving them out.
std::uint64_t multiply_and_add(std::uint64_t operations, float& result);

}  // namespace cane::bench
