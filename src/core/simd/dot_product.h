// The inner product of two dense vectors, for searches that go from one class vector to the next.
// The instruction set is chosen at run time.
#pragma once

#include <cstddef>

namespace cane {

/// Vectors come in multiples of this, padded with zeros: the longest vector of any instruction set.
inline constexpr std::size_t kDotMultiple = 16;

using DotProduct = float (*)(const float* a, const float* b, std::size_t size);

/// The kernel for this machine. `size` is a multiple of kDotMultiple; no alignment is asked for.
DotProduct dot_product();

}  // namespace cane
