// Sums by row on the GPU: for the gradients of class rows, and for any repeated rows. The functions
// take plain device pointers and sizes that do not depend on the data, and never wait for the
// device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kernels/plain/arguments.h"

namespace cane::kernels::cuda {

/// Bytes of scratch memory that either function needs for this many entries.
std::size_t row_sum_scratch_bytes(std::int64_t entries);

/// All `most_rows` places of rows and values [most_rows, width] are written: distinct rows, then -1
/// with zeros. At least min(entries, classes) places are needed.
void sum_rows(const RowSumArguments& task, std::int64_t most_rows, std::int64_t* rows,
              float* values, void* scratch, std::size_t scratch_bytes, cudaStream_t stream);

/// Gradients of rows [count, width]; a row of -1 is an unused place. `table_rows` is the height of
/// the table.
struct RowGradients {
  std::int64_t count = 0;
  std::int64_t width = 0;
  std::int64_t table_rows = 0;
  const std::int64_t* rows = nullptr;
  const float* values = nullptr;
};

/// Sums repeated rows. The output has `count` places too; unused ones are -1 and zero. It must not
/// overlap the input.
void sum_repeated_rows(const RowGradients& gradients, std::int64_t* rows, float* values,
                       void* scratch, std::size_t scratch_bytes, cudaStream_t stream);

}  // namespace cane::kernels::cuda
