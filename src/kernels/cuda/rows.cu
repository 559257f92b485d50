// Scores of the examples' own classes, and the backward pass to the hidden states.
#include <limits>

#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"

namespace cane::kernels::cuda {
namespace {

// One warp per (example, class).
__global__ void gather_dot_kernel(GatherArguments task) {
  const ShortlistShape& shape = task.shape;
  const std::int64_t entry = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarp;
  if (entry >= shape.examples * shape.own_classes()) return;
  const std::int64_t example = entry / shape.own_classes();
  const std::int64_t place = entry % shape.own_classes();
  const unsigned lane = threadIdx.x % kWarp;
  float* score = task.scores + example * shape.stride() + shape.column_of_own(place);
  const std::int64_t id = task.own_classes[entry];
  if (id == kNoClass) {
    if (lane == 0) *score = -std::numeric_limits<float>::infinity();
    return;
  }
  const float* hidden = task.hidden + example * task.width;
  const Numbers row = task.weight + id * task.width;
  float sum = 0.0F;
  for (std::int64_t i = lane; i < task.width; i += kWarp) sum += hidden[i] * row[i];
  sum = warp_sum(sum);
  if (lane == 0) *score = sum + task.bias[id];
}

// One block per example; a thread sums its columns over the classes.
__global__ void gather_back_kernel(GatherArguments task) {
  const ShortlistShape& shape = task.shape;
  const std::int64_t example = blockIdx.x;
  const std::int32_t* classes = task.own_classes + example * shape.own_classes();
  const float* gradient = task.scores + example * shape.stride();
  for (std::int64_t i = threadIdx.x; i < task.width; i += blockDim.x) {
    float sum = task.hidden_gradient[example * task.width + i];
    for (std::int64_t place = 0; place < shape.own_classes(); ++place) {
      const std::int64_t id = classes[place];
      if (id == kNoClass) continue;
      sum += gradient[shape.column_of_own(place)] * task.weight[id * task.width + i];
    }
    task.hidden_gradient[example * task.width + i] = sum;
  }
}

// One block per row.
__global__ void widen_kernel(WidenArguments task) {
  const std::int64_t i = blockIdx.x;
  for (std::int64_t c = threadIdx.x; c < task.wide; c += blockDim.x) {
    task.out[i * task.wide + c] = widened_number(task, i, c);
  }
}

// The class of a column, or kNoClass.
__device__ std::int32_t class_of_column(const PathArguments& task, std::int64_t example,
                                        std::int64_t column) {
  const ShortlistShape& shape = task.shape;
  const std::int32_t* own = task.own_classes + example * shape.own_classes();
  if (column < shape.own_candidates) return own[column];
  if (column == shape.label_column()) return own[shape.own_candidates];
  const std::int64_t shared = column - shape.first_shared_column();
  if (shared < shape.shared_classes()) return task.shared_classes[shared];
  return own[column - shape.shared_candidates - shape.shared_noises];
}

__global__ void path_score_kernel(PathArguments task) {
  const std::int64_t example = blockIdx.x;
  const std::int64_t columns = task.shape.columns();
  for (std::int64_t column = threadIdx.x; column < columns; column += blockDim.x) {
    const std::int32_t id = class_of_column(task, example, column);
    if (id == kNoClass) continue;
    task.scores[example * task.shape.stride() + column] +=
        task.subset_scores[example * task.subsets + task.subset_of_class[id]];
  }
}

__global__ void path_gradient_kernel(PathArguments task) {
  const std::int64_t example = blockIdx.x;
  const std::int64_t columns = task.shape.columns();
  float* sums = task.subset_scores + example * task.subsets;
  for (std::int64_t i = threadIdx.x; i < task.subsets; i += blockDim.x) sums[i] = 0.0F;
  __syncthreads();
  for (std::int64_t column = threadIdx.x; column < columns; column += blockDim.x) {
    const std::int32_t id = class_of_column(task, example, column);
    if (id == kNoClass) continue;
    atomicAdd(sums + task.subset_of_class[id], task.scores[example * task.shape.stride() + column]);
  }
}

}  // namespace

void gather_dot(const GatherArguments& task, cudaStream_t stream) {
  const std::int64_t entries = task.shape.examples * task.shape.own_classes();
  gather_dot_kernel<<<blocks_for(entries, kMaxThreads / kWarp), kMaxThreads, 0, stream>>>(task);
  check_launch("gather_dot");
}

void gather_back(const GatherArguments& task, cudaStream_t stream) {
  gather_back_kernel<<<static_cast<unsigned>(task.shape.examples), threads_for(task.width), 0,
                       stream>>>(task);
  check_launch("gather_back");
}

void widen(const WidenArguments& task, cudaStream_t stream) {
  if (task.count == 0) return;
  widen_kernel<<<static_cast<unsigned>(task.count), threads_for(task.wide), 0, stream>>>(task);
  check_launch("widen");
}

void add_path_scores(const PathArguments& task, cudaStream_t stream) {
  path_score_kernel<<<static_cast<unsigned>(task.shape.examples), threads_for(task.shape.columns()),
                      0, stream>>>(task);
  check_launch("add_path_scores");
}

void sum_path_gradients(const PathArguments& task, cudaStream_t stream) {
  path_gradient_kernel<<<static_cast<unsigned>(task.shape.examples),
                         threads_for(task.shape.columns()), 0, stream>>>(task);
  check_launch("sum_path_gradients");
}

}  // namespace cane::kernels::cuda
