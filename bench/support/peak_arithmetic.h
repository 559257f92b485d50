// Peak arithmetic of this machine's cores: independent multiply-adds of vectors in registers, with
// the instruction set that the library's kernels use.
#pragma once

#include <cstdint>

namespace cane::bench {

/// Does at least `operations` floating-point operations (a multiply-add counts as two) on the
/// calling thread, and returns their number. `result` keeps the compiler from removing them.
std::uint64_t multiply_and_add(std::uint64_t operations, float& result);

}  // namespace cane::bench
