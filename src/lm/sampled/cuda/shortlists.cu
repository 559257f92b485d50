#include "lm/sampled/cuda/kernels.h"
#include "lm/sampled/cuda/launch.cuh"

namespace cane::lm::cuda {
namespace {

__global__ void shared_noise_kernel(DrawArguments task) {
  const std::int64_t j = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (j >= task.shape.shared_noises) return;
  const CounterRandom random(task.seed, RandomPurpose::kNoise);
  task.shared_words[task.shape.shared_candidates + 1 + j] = draw_word(
      task.law, 0, random, draw_example(*task.step, kSharedDraws), static_cast<std::uint32_t>(j));
}

__global__ void token_noise_kernel(DrawArguments task) {
  const ShortlistShape& shape = task.shape;
  const std::int64_t draw = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (draw >= shape.tokens * shape.token_noises) return;
  const std::int64_t token = draw / shape.token_noises;
  const std::int64_t j = draw % shape.token_noises;
  const CounterRandom random(task.seed, RandomPurpose::kNoise);
  const std::int64_t context = task.contexts == nullptr ? 0 : task.contexts[token];
  task.token_words[token * shape.token_words() + shape.token_candidates + 1 + j] = draw_word(
      task.law, static_cast<std::int32_t>(context), random,
      draw_example(*task.step, static_cast<std::uint64_t>(token)), static_cast<std::uint32_t>(j));
}

__global__ void subset_kernel(SubsetArguments task) {
  const std::int64_t token = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (token >= task.shape.tokens) return;
  const CounterRandom random(task.seed, RandomPurpose::kCandidates);
  draw_from_subset(task.subsets, task.chosen[token], task.shape.token_candidates, random,
                   draw_example(*task.step, static_cast<std::uint64_t>(token)),
                   task.token_words + token * task.shape.token_words());
}

// The first token with a word gets its column; columns of fixed candidates are lower and stay.
__global__ void first_occurrence_kernel(BatchWordArguments task) {
  const std::int64_t token = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (token >= task.tokens) return;
  task.visible_after[token] = static_cast<std::int32_t>(token);
  atomicMin(task.column_of_word + task.labels[token],
            task.first_column + static_cast<std::int32_t>(token));
}

__global__ void batch_word_kernel(BatchWordArguments task) {
  const std::int64_t token = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (token >= task.tokens) return;
  const std::int64_t word = task.labels[token];
  const std::int32_t first = task.column_of_word[word] - task.first_column;
  if (first == token) {
    task.words[token] = static_cast<std::int32_t>(word);
    return;
  }
  task.words[token] = kNoWord;
  task.visible_after[token] = kSeenByNone;
  if (first >= 0 && first % task.streams != token % task.streams) {
    task.visible_after[first] = kSeenByAll;
  }
}

__global__ void forget_kernel(BatchWordArguments task, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count && task.words[i] != kNoWord) task.column_of_word[task.words[i]] = kNoColumn;
}

__global__ void assemble_kernel(AssembleArguments task) {
  __shared__ float scratch[kMaxThreads / kWarp];
  assemble_token(task, blockIdx.x, BlockLanes{scratch});
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

void draw_token_noises(const DrawArguments& task, cudaStream_t stream) {
  token_noise_kernel<<<blocks_for(task.shape.tokens * task.shape.token_noises, kMaxThreads),
                       kMaxThreads, 0, stream>>>(task);
  check_launch("draw_token_noises");
}

void draw_subset_candidates(const SubsetArguments& task, cudaStream_t stream) {
  // One thread draws all candidates of a token in turn; small blocks spread the threads.
  subset_kernel<<<blocks_for(task.shape.tokens, kWarp), kWarp, 0, stream>>>(task);
  check_launch("draw_subset_candidates");
}

std::int64_t collect_batch_words(const BatchWordArguments& task, cudaStream_t stream) {
  const unsigned blocks = blocks_for(task.tokens, kMaxThreads);
  first_occurrence_kernel<<<blocks, kMaxThreads, 0, stream>>>(task);
  batch_word_kernel<<<blocks, kMaxThreads, 0, stream>>>(task);
  check_launch("collect_batch_words");
  return task.tokens;
}

void forget_batch_words(const BatchWordArguments& task, std::int64_t count, cudaStream_t stream) {
  if (count == 0) return;
  forget_kernel<<<blocks_for(count, kMaxThreads), kMaxThreads, 0, stream>>>(task, count);
  check_launch("forget_batch_words");
}

void assemble(const AssembleArguments& task, cudaStream_t stream) {
  const ShortlistShape& shape = task.candidates.shape;
  const std::int64_t changing = shape.shared_candidates - task.candidates.fixed;
  const std::int64_t work = std::max({changing, shape.token_candidates, shape.noises()});
  assemble_kernel<<<static_cast<unsigned>(shape.tokens), threads_for(work), 0, stream>>>(task);
  check_launch("assemble");
}

void assemble_labels(const AssembleArguments& task, bool excludes_label, cudaStream_t stream) {
  const ShortlistShape& shape = task.candidates.shape;
  assemble_label_kernel<<<static_cast<unsigned>(shape.tokens), threads_for(shape.noises()), 0,
                          stream>>>(task, excludes_label);
  check_launch("assemble_labels");
}

}  // namespace cane::lm::cuda
