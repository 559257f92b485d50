// A product of small row-major matrices that lie in the cache, on the calling thread. Written here
// because a library packs its operands first, which costs as much as the product of a batch with a
// few classes, and because OpenBLAS takes its slowest kernel on a processor that it does not know.
#pragma once

#include <cstddef>

#include "core/simd/matrix_product.h"

namespace cane {

/// The columns of a product must be a multiple of this.
inline constexpr std::size_t kProductMultiple = 8;

/// c = a . b, (rows x columns) from (rows x depth) and (depth x columns). Every element is summed
/// in the order of the depth, so its bits do not depend on how the product is cut up.
void multiply(ConstMatrix a, ConstMatrix b, Matrix c, std::size_t rows, std::size_t depth,
              std::size_t columns);

/// c += transpose of a . b, with (depth x rows) of a. A product cut along the depth gives the same
/// bits if its parts are added in order.
void multiply_turned_and_add(ConstMatrix a, ConstMatrix b, Matrix c, std::size_t rows,
                             std::size_t depth, std::size_t columns);

/// c += a . b
void multiply_and_add(ConstMatrix a, ConstMatrix b, Matrix c, std::size_t rows, std::size_t depth,
                      std::size_t columns);

}  // namespace cane
