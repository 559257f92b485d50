// The kernels of the sampled layers on the GPU: as in cpu/kernels.h, with a stream argument. They
// take plain device pointers, allocate nothing, never wait for the device, and have shapes that do
// not depend on the data, so they can be recorded in a graph. They throw std::runtime_error if a
// launch is refused.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kernels/plain/arguments.h"
#include "kernels/plain/proposal.h"

namespace cane::kernels::cuda {

void draw_shared_noises(const DrawArguments& task, cudaStream_t stream);
void draw_own_noises(const DrawArguments& task, cudaStream_t stream);
void draw_subset_candidates(const SubsetArguments& task, cudaStream_t stream);

/// Column first_column + u holds the label of example u if that is its first occurrence, and is
/// unused otherwise. Returns the number of examples.
std::int64_t collect_batch_classes(const BatchClassArguments& task, cudaStream_t stream);
void forget_batch_classes(const BatchClassArguments& task, std::int64_t count, cudaStream_t stream);

void assemble(const AssembleArguments& task, cudaStream_t stream);
void assemble_labels(const AssembleArguments& task, bool excludes_label, cudaStream_t stream);
void objective(Method kind, std::uint32_t classes, const ObjectiveArguments& task,
               cudaStream_t stream);

void gather_dot(const GatherArguments& task, cudaStream_t stream);
void gather_back(const GatherArguments& task, cudaStream_t stream);
void add_path_scores(const PathArguments& task, cudaStream_t stream);
void sum_path_gradients(const PathArguments& task, cudaStream_t stream);

void widen(const WidenArguments& task, cudaStream_t stream);

/// The width is at most 64.
void sum_blocks(const BlockArguments& task, cudaStream_t stream);
void leave_out_candidates(const OutsideArguments& task, cudaStream_t stream);
void draw_proposal_noises(const ProposalNoiseArguments& task, cudaStream_t stream);

}  // namespace cane::kernels::cuda
