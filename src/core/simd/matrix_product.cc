#include "core/simd/matrix_product.h"

#include <cblas.h>

#include <cassert>
#include <limits>

namespace cane {
namespace {

blasint blas_size(std::size_t size) {
  assert(size <= static_cast<std::size_t>(std::numeric_limits<blasint>::max()));
  return static_cast<blasint>(size);
}

void use_one_thread_each() {
  static const bool done = [] {
    openblas_set_num_threads(1);
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace

void scores_of_rows(ConstMatrix inputs, std::size_t rows, ConstMatrix table, std::size_t classes,
                    std::size_t width, Matrix scores) {
  if (rows == 0 || classes == 0) return;
  use_one_thread_each();
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, blas_size(rows), blas_size(classes),
              blas_size(width), 1.0F, inputs.data, blas_size(inputs.pitch), table.data,
              blas_size(table.pitch), 0.0F, scores.data, blas_size(scores.pitch));
}

}  // namespace cane
