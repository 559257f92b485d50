#include "torch/sampled/cuda/row_update.h"

#include "torch/sampled/cuda/launch.cuh"
#include "torch/sampled/cuda/sorted_rows.cuh"

namespace cane::lm::cuda {
namespace {

__global__ void row_key_kernel(RowGradients gradients, SortedRows sorted) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= sorted.entries) return;
  const std::int64_t row = gradients.rows[i];
  sorted.keys_in[i] = static_cast<std::uint32_t>(row < 0 ? gradients.table_rows : row);
  sorted.order_in[i] = static_cast<std::uint32_t>(i);
}

struct GivenRows {
  const float* all;
  std::int64_t width;
  __device__ const float* values(std::uint32_t entry) const { return all + entry * width; }
  __device__ float scale(std::uint32_t /*entry*/) const { return 1.0F; }
  __device__ void add_scale(std::int64_t /*row*/, float /*scale*/) const {}
};

struct Sgd {
  __device__ float change(std::int64_t /*at*/, float gradient) const { return gradient; }
};

struct Adagrad {
  float* squares;
  float epsilon;
  __device__ float change(std::int64_t at, float gradient) const {
    const float square = squares[at] + gradient * gradient;
    squares[at] = square;
    return gradient / (sqrtf(square) + epsilon);
  }
};

struct Adam {
  AdamMoments moments;
  __device__ float change(std::int64_t at, float gradient) const {
    const float steps = static_cast<float>(*moments.step) + 1.0F;
    const float mean =
        moments.mean[at] + (1.0F - moments.mean_decay) * (gradient - moments.mean[at]);
    const float square = moments.square_decay * moments.square[at] +
                         (1.0F - moments.square_decay) * gradient * gradient;
    moments.mean[at] = mean;
    moments.square[at] = square;
    const float mean_part = 1.0F - powf(moments.mean_decay, steps);
    const float square_part = 1.0F - powf(moments.square_decay, steps);
    return (mean / mean_part) / (sqrtf(square / square_part) + moments.epsilon);
  }
};

template <typename Rule>
__global__ void update_kernel(RowUpdate update, Rule rule) {
  const RowGradients& gradients = update.gradients;
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= gradients.count * gradients.width) return;
  const std::int64_t row = gradients.rows[i / gradients.width];
  if (row < 0) return;
  const std::int64_t at = row * gradients.width + i % gradients.width;
  const float scale = update.scale == nullptr ? 1.0F : *update.scale;
  update.table[at] -= *update.rate * rule.change(at, scale * gradients.values[i]);
}

template <typename Rule>
void launch(const RowUpdate& update, const Rule& rule, cudaStream_t stream) {
  const std::int64_t numbers = update.gradients.count * update.gradients.width;
  if (numbers == 0) return;
  update_kernel<<<blocks_for(numbers, kMostThreads), kMostThreads, 0, stream>>>(update, rule);
  check_launch("update_rows");
}

}  // namespace

std::size_t distinct_row_bytes(std::int64_t count) {
  return sorted_row_bytes(count);
}

void sum_repeated_rows(const RowGradients& gradients, std::int64_t* rows, float* values,
                       void* scratch, std::size_t scratch_bytes, cudaStream_t stream) {
  if (gradients.count == 0) return;
  const SortedRows sorted = sorted_rows_in(scratch, scratch_bytes, gradients.count);
  const auto count = static_cast<std::size_t>(gradients.count);
  cudaMemsetAsync(rows, 0xFF, count * sizeof(std::int64_t), stream);
  cudaMemsetAsync(values, 0, count * static_cast<std::size_t>(gradients.width) * sizeof(float),
                  stream);
  row_key_kernel<<<blocks_for(gradients.count, kMostThreads), kMostThreads, 0, stream>>>(gradients,
                                                                                         sorted);
  sort_rows(sorted, gradients.table_rows, stream);
  const RowSumOutput output{rows, values, gradients.width, gradients.table_rows};
  add_sorted_rows(sorted, GivenRows{gradients.values, gradients.width}, output, stream);
  check_launch("sum_repeated_rows");
}

void update_rows_sgd(const RowUpdate& update, cudaStream_t stream) {
  launch(update, Sgd{}, stream);
}

void update_rows_adagrad(const RowUpdate& update, float* squares, float epsilon,
                         cudaStream_t stream) {
  launch(update, Adagrad{squares, epsilon}, stream);
}

void update_rows_adam(const RowUpdate& update, const AdamMoments& moments, cudaStream_t stream) {
  launch(update, Adam{moments}, stream);
}

}  // namespace cane::lm::cuda
