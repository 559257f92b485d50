// The kernels of the sampled layers on the GPU: those of cpu/kernels.h with a stream argument. They
// take plain device pointers, allocate nothing, never wait for the device, and have shapes that do
// not depend on the data, so they can be recorded in a graph. They throw std::runtime_error if a
// launch is refused.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "lm/sampled/plain/arguments.h"

namespace cane::lm::cuda {

void draw_shared_noises(const DrawArguments& task, cudaStream_t stream);
void draw_token_noises(const DrawArguments& task, cudaStream_t stream);
void draw_subset_candidates(const SubsetArguments& task, cudaStream_t stream);

/// Column first_column + u holds the label of token u if that is its first occurrence, and is
/// unused otherwise. Returns the number of tokens.
std::int64_t collect_batch_words(const BatchWordArguments& task, cudaStream_t stream);
void forget_batch_words(const BatchWordArguments& task, std::int64_t count, cudaStream_t stream);

void assemble(const AssembleArguments& task, cudaStream_t stream);
void assemble_labels(const AssembleArguments& task, bool excludes_label, cudaStream_t stream);
void objective(Method kind, std::uint32_t words, const ObjectiveArguments& task,
               cudaStream_t stream);

void gather_dot(const GatherArguments& task, cudaStream_t stream);
void gather_back(const GatherArguments& task, cudaStream_t stream);
void add_path_scores(const PathArguments& task, cudaStream_t stream);
void sum_path_gradients(const PathArguments& task, cudaStream_t stream);

void widen(const WidenArguments& task, cudaStream_t stream);

}  // namespace cane::lm::cuda
