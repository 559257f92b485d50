// Updates of table rows on the GPU: repeated rows summed, then SGD, AdaGrad or lazy Adam on the
// rows that have a gradient. Plain device pointers; rate and step are read on the device, nothing
// waits.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace cane::lm::cuda {

/// Gradients of rows [count, width]; a row of -1 is an unused place. `table_rows` is the height of
/// the table.
struct RowGradients {
  std::int64_t count = 0;
  std::int64_t width = 0;
  std::int64_t table_rows = 0;
  const std::int64_t* rows = nullptr;
  const float* values = nullptr;
};

/// Repeated rows summed up: `count` places again, the unused ones -1 and zero. The output must not
/// be the input.
std::size_t distinct_row_bytes(std::int64_t count);
void sum_repeated_rows(const RowGradients& gradients, std::int64_t* rows, float* values,
                       void* scratch, std::size_t scratch_bytes, cudaStream_t stream);

struct RowUpdate {
  RowGradients gradients;        // rows distinct
  const float* scale = nullptr;  // of all gradients, one value; null: 1
  const float* rate = nullptr;   // one value
  float* table = nullptr;        // [table_rows, width]
};

void update_rows_sgd(const RowUpdate& update, cudaStream_t stream);

/// squares [table_rows, width]: sum of the squared gradients so far.
void update_rows_adagrad(const RowUpdate& update, float* squares, float epsilon,
                         cudaStream_t stream);

struct AdamMoments {
  float* mean = nullptr;               // [table_rows, width]
  float* square = nullptr;             // [table_rows, width]
  const std::int64_t* step = nullptr;  // one value, counts from zero
  float mean_decay = 0.9F;
  float square_decay = 0.999F;
  float epsilon = 1e-8F;
};

/// The moments of a row stand still while it has no gradient.
void update_rows_adam(const RowUpdate& update, const AdamMoments& moments, cudaStream_t stream);

}  // namespace cane::lm::cuda
