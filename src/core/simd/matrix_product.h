// Batched products with tables of weights: many examples against many classes. All matrices are
// row-major; a pitch is the distance in floats between the beginnings of two rows.
//
// Each call runs on the thread that makes it, and the caller gives ranges of classes to threads of
// its own. Calls may run at once as long as none writes what another one uses. The bits of a score
// depend on its example and its class alone. Written here, on the kernel of row_product.h, and not
// taken from OpenBLAS: that library starts threads before main() does anything, and a program that
// runs under a limit on memory hangs when it waits for them at its end.
#pragma once

#include <cstddef>

namespace cane {

struct ConstMatrix {
  const float* data;
  std::size_t pitch;
};

struct Matrix {
  float* data;
  std::size_t pitch;
};

/// scores = inputs . table^T: (rows x classes) from (rows x width) and (classes x width).
void scores_of_rows(ConstMatrix inputs, std::size_t rows, ConstMatrix table, std::size_t classes,
                    std::size_t width, Matrix scores);

}  // namespace cane
