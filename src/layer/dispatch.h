// Calls the kernels of the sampled layers on the device that holds the data. In a build without
// CUDA a call for a GPU throws.
#pragma once

#include <torch/types.h>

#include "kernels/plain/arguments.h"
#include "kernels/plain/proposal.h"

namespace cane::layer::on_device {

void draw_shared_noises(const kernels::DrawArguments& task, torch::Device device);
void draw_own_noises(const kernels::DrawArguments& task, torch::Device device);
void draw_subset_candidates(const kernels::SubsetArguments& task, torch::Device device);

/// Returns how many of the `examples` places of classes and visible_after are used. On a GPU that
/// is all of them, with gaps, since the host does not wait for the count.
std::int64_t collect_batch_classes(const kernels::BatchClassArguments& task, torch::Device device);
void forget_batch_classes(const kernels::BatchClassArguments& task, std::int64_t count,
                          torch::Device device);

void assemble(const kernels::AssembleArguments& task, torch::Device device);
void assemble_labels(const kernels::AssembleArguments& task, bool excludes_label,
                     torch::Device device);
void objective(Method kind, std::uint32_t classes, const kernels::ObjectiveArguments& task,
               torch::Device device);
void gather_dot(const kernels::GatherArguments& task, torch::Device device);
void gather_back(const kernels::GatherArguments& task, torch::Device device);
void add_path_scores(const kernels::PathArguments& task, torch::Device device);
void sum_path_gradients(const kernels::PathArguments& task, torch::Device device);

void widen(const kernels::WidenArguments& task, torch::Device device);

void sum_blocks(const kernels::BlockArguments& task, torch::Device device);
void leave_out_candidates(const kernels::OutsideArguments& task, torch::Device device);
void draw_proposal_noises(const kernels::ProposalNoiseArguments& task, torch::Device device);

/// Distinct rows [R] int64 and values [R, width]; unused places, which occur only on a GPU, are -1
/// and zero.
struct RowSums {
  torch::Tensor rows;
  torch::Tensor values;
};
RowSums sum_rows(const kernels::RowSumArguments& task, torch::Device device);

}  // namespace cane::layer::on_device
