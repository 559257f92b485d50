// Scores of the tokens' own words, and the backward pass to the hidden states.
#include <limits>

#include "lm/sampled/cuda/kernels.h"
#include "lm/sampled/cuda/launch.cuh"

namespace cane::lm::cuda {
namespace {

// One warp per (token, word).
__global__ void gather_dot_kernel(GatherArguments task) {
  const ShortlistShape& shape = task.shape;
  const std::int64_t entry = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarp;
  if (entry >= shape.tokens * shape.token_words()) return;
  const std::int64_t token = entry / shape.token_words();
  const std::int64_t place = entry % shape.token_words();
  const unsigned lane = threadIdx.x % kWarp;
  float* score = task.scores + token * shape.stride() + shape.column_of_token_word(place);
  const std::int64_t word = task.token_words[entry];
  if (word == kNoWord) {
    if (lane == 0) *score = -std::numeric_limits<float>::infinity();
    return;
  }
  const float* hidden = task.hidden + token * task.width;
  const float* row = task.weight + word * task.width;
  float sum = 0.0F;
  for (std::int64_t i = lane; i < task.width; i += kWarp) sum += hidden[i] * row[i];
  sum = warp_sum(sum);
  if (lane == 0) *score = sum + task.bias[word];
}

// One block per token; a thread sums its columns over the words.
__global__ void gather_back_kernel(GatherArguments task) {
  const ShortlistShape& shape = task.shape;
  const std::int64_t token = blockIdx.x;
  const std::int32_t* words = task.token_words + token * shape.token_words();
  const float* gradient = task.scores + token * shape.stride();
  for (std::int64_t i = threadIdx.x; i < task.width; i += blockDim.x) {
    float sum = task.hidden_gradient[token * task.width + i];
    for (std::int64_t place = 0; place < shape.token_words(); ++place) {
      const std::int64_t word = words[place];
      if (word == kNoWord) continue;
      sum += gradient[shape.column_of_token_word(place)] * task.weight[word * task.width + i];
    }
    task.hidden_gradient[token * task.width + i] = sum;
  }
}

// One block per row.
__global__ void widen_kernel(WidenArguments task) {
  const std::int64_t i = blockIdx.x;
  for (std::int64_t c = threadIdx.x; c < task.wide; c += blockDim.x) {
    task.out[i * task.wide + c] = widened_number(task, i, c);
  }
}

// The word of a column, or kNoWord.
__device__ std::int32_t word_of_column(const PathArguments& task, std::int64_t token,
                                       std::int64_t column) {
  const ShortlistShape& shape = task.shape;
  const std::int32_t* own = task.token_words + token * shape.token_words();
  if (column < shape.token_candidates) return own[column];
  if (column == shape.label_column()) return own[shape.token_candidates];
  const std::int64_t shared = column - shape.first_shared_column();
  if (shared < shape.shared_words()) return task.shared_words[shared];
  return own[column - shape.shared_candidates - shape.shared_noises];
}

__global__ void path_score_kernel(PathArguments task) {
  const std::int64_t token = blockIdx.x;
  const std::int64_t columns = task.shape.columns();
  for (std::int64_t column = threadIdx.x; column < columns; column += blockDim.x) {
    const std::int32_t word = word_of_column(task, token, column);
    if (word == kNoWord) continue;
    task.scores[token * task.shape.stride() + column] +=
        task.subset_scores[token * task.subsets + task.subset_of_word[word]];
  }
}

__global__ void path_gradient_kernel(PathArguments task) {
  const std::int64_t token = blockIdx.x;
  const std::int64_t columns = task.shape.columns();
  float* sums = task.subset_scores + token * task.subsets;
  for (std::int64_t i = threadIdx.x; i < task.subsets; i += blockDim.x) sums[i] = 0.0F;
  __syncthreads();
  for (std::int64_t column = threadIdx.x; column < columns; column += blockDim.x) {
    const std::int32_t word = word_of_column(task, token, column);
    if (word == kNoWord) continue;
    atomicAdd(sums + task.subset_of_word[word], task.scores[token * task.shape.stride() + column]);
  }
}

}  // namespace

void gather_dot(const GatherArguments& task, cudaStream_t stream) {
  const std::int64_t entries = task.shape.tokens * task.shape.token_words();
  gather_dot_kernel<<<blocks_for(entries, kMaxThreads / kWarp), kMaxThreads, 0, stream>>>(task);
  check_launch("gather_dot");
}

void gather_back(const GatherArguments& task, cudaStream_t stream) {
  gather_back_kernel<<<static_cast<unsigned>(task.shape.tokens), threads_for(task.width), 0,
                       stream>>>(task);
  check_launch("gather_back");
}

void widen(const WidenArguments& task, cudaStream_t stream) {
  if (task.count == 0) return;
  widen_kernel<<<static_cast<unsigned>(task.count), threads_for(task.wide), 0, stream>>>(task);
  check_launch("widen");
}

void add_path_scores(const PathArguments& task, cudaStream_t stream) {
  path_score_kernel<<<static_cast<unsigned>(task.shape.tokens), threads_for(task.shape.columns()),
                      0, stream>>>(task);
  check_launch("add_path_scores");
}

void sum_path_gradients(const PathArguments& task, cudaStream_t stream) {
  path_gradient_kernel<<<static_cast<unsigned>(task.shape.tokens),
                         threads_for(task.shape.columns()), 0, stream>>>(task);
  check_launch("sum_path_gradients");
}

}  // namespace cane::lm::cuda
