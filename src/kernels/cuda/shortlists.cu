#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"

namespace cane::kernels::cuda {
namespace {

__global__ void shared_noise_kernel(DrawArguments task) {
  const std::int64_t j = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (j >= task.shape.shared_noises) return;
  const CounterRandom random(task.seed, RandomPurpose::kNoise);
  task.shared_classes[task.shape.shared_candidates + 1 + j] = draw_class(
      task.law, 0, random, draw_key(*task.step, kSharedDraws), static_cast<std::uint32_t>(j));
}

__global__ void own_noise_kernel(DrawArguments task) {
  const ShortlistShape& shape = task.shape;
  const std::int64_t draw = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (draw >= shape.examples * shape.own_noises) return;
  const std::int64_t example = draw / shape.own_noises;
  const std::int64_t j = draw % shape.own_noises;
  const CounterRandom random(task.seed, RandomPurpose::kNoise);
  const std::int64_t context = task.contexts == nullptr ? 0 : task.contexts[example];
  task.own_classes[example * shape.own_classes() + shape.own_candidates + 1 + j] = draw_class(
      task.law, static_cast<std::int32_t>(context), random,
      draw_key(*task.step, static_cast<std::uint64_t>(example)), static_cast<std::uint32_t>(j));
}

__global__ void subset_kernel(SubsetArguments task) {
  const std::int64_t example = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (example >= task.shape.examples) return;
  const CounterRandom random(task.seed, RandomPurpose::kCandidates);
  draw_from_subset(task.subsets, task.chosen[example], task.shape.own_candidates, random,
                   draw_key(*task.step, static_cast<std::uint64_t>(example)),
                   task.own_classes + example * task.shape.own_classes());
}

// The first example with a class gets its column; columns of fixed candidates are lower and stay.
__global__ void first_occurrence_kernel(BatchClassArguments task) {
  const std::int64_t example = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (example >= task.examples) return;
  task.visible_after[example] = static_cast<std::int32_t>(example);
  if (task.labels[example] < 0) return;
  atomicMin(task.column_of_class + task.labels[example],
            task.first_column + static_cast<std::int32_t>(example));
}

__global__ void batch_class_kernel(BatchClassArguments task) {
  const std::int64_t example = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (example >= task.examples) return;
  const std::int64_t id = task.labels[example];
  const std::int32_t first = id < 0 ? -1 : task.column_of_class[id] - task.first_column;
  if (first == example) {
    task.classes[example] = static_cast<std::int32_t>(id);
    return;
  }
  task.classes[example] = kNoClass;
  task.visible_after[example] = kSeenByNone;
  if (first >= 0 && first % task.streams != example % task.streams) {
    task.visible_after[first] = kSeenByAll;
  }
}

__global__ void forget_kernel(BatchClassArguments task, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count && task.classes[i] != kNoClass) task.column_of_class[task.classes[i]] = kNoColumn;
}

__global__ void assemble_kernel(AssembleArguments task) {
  __shared__ float scratch[kMaxThreads / kWarp];
  assemble_example(task, blockIdx.x, BlockLanes{scratch});
  if (threadIdx.x != 0 || task.covered == nullptr) return;
  auto* counts = reinterpret_cast<unsigned long long*>(task.covered);
  if (is_covered(task, blockIdx.x)) atomicAdd(counts, 1ULL);
  if (blockIdx.x == 0) counts[1] += gridDim.x;
}

__global__ void assemble_label_kernel(AssembleArguments task, bool excludes_label) {
  __shared__ float scratch[kMaxThreads / kWarp];
  assemble_label(task, excludes_label, blockIdx.x, BlockLanes{scratch});
}

}  // namespace

void draw_shared_noises(const DrawArguments& task, cudaStream_t stream) {
  shared_noise_kernel<<<blocks_for(task.shape.shared_noises, kMaxThreads), kMaxThreads, 0,
                        stream>>>(task);
  check_launch("draw_shared_noises");
}

void draw_own_noises(const DrawArguments& task, cudaStream_t stream) {
  own_noise_kernel<<<blocks_for(task.shape.examples * task.shape.own_noises, kMaxThreads),
                     kMaxThreads, 0, stream>>>(task);
  check_launch("draw_own_noises");
}

void draw_subset_candidates(const SubsetArguments& task, cudaStream_t stream) {
  // One thread draws all candidates of an example in turn; small blocks spread the threads.
  subset_kernel<<<blocks_for(task.shape.examples, kWarp), kWarp, 0, stream>>>(task);
  check_launch("draw_subset_candidates");
}

std::int64_t collect_batch_classes(const BatchClassArguments& task, cudaStream_t stream) {
  const unsigned blocks = blocks_for(task.examples, kMaxThreads);
  first_occurrence_kernel<<<blocks, kMaxThreads, 0, stream>>>(task);
  batch_class_kernel<<<blocks, kMaxThreads, 0, stream>>>(task);
  check_launch("collect_batch_classes");
  return task.examples;
}

void forget_batch_classes(const BatchClassArguments& task, std::int64_t count,
                          cudaStream_t stream) {
  if (count == 0) return;
  forget_kernel<<<blocks_for(count, kMaxThreads), kMaxThreads, 0, stream>>>(task, count);
  check_launch("forget_batch_classes");
}

void assemble(const AssembleArguments& task, cudaStream_t stream) {
  const ShortlistShape& shape = task.candidates.shape;
  const std::int64_t changing = shape.shared_candidates - task.candidates.fixed;
  const std::int64_t work = std::max({changing, shape.own_candidates, shape.noises()});
  assemble_kernel<<<static_cast<unsigned>(shape.examples), threads_for(work), 0, stream>>>(task);
  check_launch("assemble");
}

void assemble_labels(const AssembleArguments& task, bool excludes_label, cudaStream_t stream) {
  const ShortlistShape& shape = task.candidates.shape;
  assemble_label_kernel<<<static_cast<unsigned>(shape.examples), threads_for(shape.noises()), 0,
                          stream>>>(task, excludes_label);
  check_launch("assemble_labels");
}

}  // namespace cane::kernels::cuda
