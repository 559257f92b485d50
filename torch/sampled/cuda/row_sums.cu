// Sums by row: entries are sorted by their word, words are numbered by a scan over the places where
// a new one begins, and each warp adds up a stretch of entries in registers. Only where a word goes
// on across stretches do several warps add to the same row.

#include "torch/sampled/cuda/kernels.h"
#include "torch/sampled/cuda/launch.cuh"
#include "torch/sampled/cuda/sorted_rows.cuh"

namespace cane::lm::cuda {
namespace {

__global__ void entry_kernel(RowSumArguments task, SortedRows sorted) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= sorted.entries) return;
  const std::int32_t word = task.gather.token_words[i];
  // Unused places come last.
  sorted.keys_in[i] = static_cast<std::uint32_t>(word == kNoWord ? task.words : word);
  sorted.order_in[i] = static_cast<std::uint32_t>(i);
}

struct GatheredRows {
  GatherArguments gather;
  float* biases;

  __device__ const float* values(std::uint32_t entry) const {
    return gather.hidden + (entry / gather.shape.token_words()) * gather.width;
  }
  __device__ float scale(std::uint32_t entry) const {
    const std::int64_t token = entry / gather.shape.token_words();
    const std::int64_t place = entry % gather.shape.token_words();
    return gather.scores[token * gather.shape.stride() + gather.shape.column_of_token_word(place)];
  }
  __device__ void add_scale(std::int64_t row, float scale) const { atomicAdd(biases + row, scale); }
};

}  // namespace

std::size_t row_sum_scratch_bytes(std::int64_t entries) {
  return sorted_row_bytes(entries);
}

void sum_rows(const RowSumArguments& task, void* scratch, std::size_t scratch_bytes,
              cudaStream_t stream) {
  const std::int64_t entries = task.gather.shape.tokens * task.gather.shape.token_words();
  const SortedRows sorted = sorted_rows_in(scratch, scratch_bytes, entries);
  const auto most = static_cast<std::size_t>(task.most_rows);
  cudaMemsetAsync(task.rows, 0xFF, most * sizeof(std::int64_t), stream);
  cudaMemsetAsync(task.biases, 0, most * sizeof(float), stream);
  cudaMemsetAsync(task.values, 0,
                  most * static_cast<std::size_t>(task.gather.width) * sizeof(float), stream);
  entry_kernel<<<blocks_for(entries, kMostThreads), kMostThreads, 0, stream>>>(task, sorted);
  sort_rows(sorted, task.words, stream);
  const RowSumOutput output{task.rows, task.values, task.gather.width, task.words};
  add_sorted_rows(sorted, GatheredRows{task.gather, task.biases}, output, stream);
  check_launch("sum_rows");
}

}  // namespace cane::lm::cuda
