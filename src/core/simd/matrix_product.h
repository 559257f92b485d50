// Batched products with tables of weights by OpenBLAS: many examples against many classes. All
// matrices are row-major; a pitch is the distance in floats between the beginnings of two rows.
//
// Each call runs on the thread that makes it: OpenBLAS is set to one thread for the whole process
// at the first call, and the caller gives ranges of classes to threads of its own. Calls may run
// at once as long as none writes what another one uses. The bits of a result may depend on the
// range of classes that it is computed with: for results that do not depend on the number of
// threads, cut the classes into ranges that do not either.
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
