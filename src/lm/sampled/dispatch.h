// Calls the kernels of the sampled layers on the device that holds the data. In a build without
// CUDA a call for a GPU throws.
#pragma once

#include <torch/types.h>

#include "lm/sampled/plain/arguments.h"

namespace cane::lm::on_device {

void draw_shared_noises(const DrawArguments& task, torch::Device device);
void draw_token_noises(const DrawArguments& task, torch::Device device);
void draw_subset_candidates(const SubsetArguments& task, torch::Device device);

/// Returns how many of the `tokens` places of words and visible_after are used. On a GPU that is
/// all of them, with gaps, since the host does not wait for the count.
std::int64_t collect_batch_words(const BatchWordArguments& task, torch::Device device);
void forget_batch_words(const BatchWordArguments& task, std::int64_t count, torch::Device device);

void assemble(const AssembleArguments& task, torch::Device device);
void assemble_labels(const AssembleArguments& task, bool excludes_label, torch::Device device);
void objective(Method kind, std::uint32_t words, const ObjectiveArguments& task,
               torch::Device device);
void gather_dot(const GatherArguments& task, torch::Device device);
void gather_back(const GatherArguments& task, torch::Device device);
void add_path_scores(const PathArguments& task, torch::Device device);
void sum_path_gradients(const PathArguments& task, torch::Device device);

void widen(const WidenArguments& task, torch::Device device);

/// Distinct rows [R] int64 and values [R, width]; unused places, which occur only on a GPU, are -1
/// and zero.
struct RowSums {
  torch::Tensor rows;
  torch::Tensor values;
};
RowSums sum_rows(const RowSumArguments& task, torch::Device device);

}  // namespace cane::lm::on_device
