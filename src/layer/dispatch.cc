#include "layer/dispatch.h"

#include <algorithm>

#include "kernels/cpu/kernels.h"

#ifdef CANE_TORCH_CUDA
#include <c10/cuda/CUDAStream.h>

#include "kernels/cuda/kernels.h"
#include "kernels/cuda/row_sums.h"
#endif

namespace cane::layer::on_device {
namespace {

#ifdef CANE_TORCH_CUDA
cudaStream_t stream_of(torch::Device device) {
  return c10::cuda::getCurrentCUDAStream(device.index()).stream();
}
#define CANE_ON_CUDA(call) return kernels::cuda::call
#else
#define CANE_ON_CUDA(call) TORCH_CHECK(false, "built without CUDA")
#endif

}  // namespace

void draw_shared_noises(const kernels::DrawArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_ON_CUDA(draw_shared_noises(task, stream_of(device)));
  kernels::cpu::draw_shared_noises(task);
}

void draw_own_noises(const kernels::DrawArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_ON_CUDA(draw_own_noises(task, stream_of(device)));
  kernels::cpu::draw_own_noises(task);
}

void draw_subset_candidates(const kernels::SubsetArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_ON_CUDA(draw_subset_candidates(task, stream_of(device)));
  kernels::cpu::draw_subset_candidates(task);
}

std::int64_t collect_batch_classes(const kernels::BatchClassArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_ON_CUDA(collect_batch_classes(task, stream_of(device)));
  return kernels::cpu::collect_batch_classes(task);
}

void forget_batch_classes(const kernels::BatchClassArguments& task, std::int64_t count,
                          torch::Device device) {
  if (device.is_cuda()) CANE_ON_CUDA(forget_batch_classes(task, count, stream_of(device)));
  kernels::cpu::forget_batch_classes(task, count);
}

void assemble(const kernels::AssembleArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_ON_CUDA(assemble(task, stream_of(device)));
  kernels::cpu::assemble(task);
}

void assemble_labels(const kernels::AssembleArguments& task, bool excludes_label,
                     torch::Device device) {
  if (device.is_cuda()) CANE_ON_CUDA(assemble_labels(task, excludes_label, stream_of(device)));
  kernels::cpu::assemble_labels(task, excludes_label);
}

void objective(Method kind, std::uint32_t classes, const kernels::ObjectiveArguments& task,
               torch::Device device) {
  if (device.is_cuda()) CANE_ON_CUDA(objective(kind, classes, task, stream_of(device)));
  kernels::cpu::objective(kind, classes, task);
}

void gather_dot(const kernels::GatherArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_ON_CUDA(gather_dot(task, stream_of(device)));
  kernels::cpu::gather_dot(task);
}

void gather_back(const kernels::GatherArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_ON_CUDA(gather_back(task, stream_of(device)));
  kernels::cpu::gather_back(task);
}

void add_path_scores(const kernels::PathArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_ON_CUDA(add_path_scores(task, stream_of(device)));
  kernels::cpu::add_path_scores(task);
}

void sum_path_gradients(const kernels::PathArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_ON_CUDA(sum_path_gradients(task, stream_of(device)));
  kernels::cpu::sum_path_gradients(task);
}

void widen(const kernels::WidenArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_ON_CUDA(widen(task, stream_of(device)));
  kernels::cpu::widen(task);
}

void sum_blocks(const kernels::BlockArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_ON_CUDA(sum_blocks(task, stream_of(device)));
  kernels::cpu::sum_blocks(task);
}

void leave_out_candidates(const kernels::OutsideArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_ON_CUDA(leave_out_candidates(task, stream_of(device)));
  kernels::cpu::leave_out_candidates(task);
}

void draw_proposal_noises(const kernels::ProposalNoiseArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_ON_CUDA(draw_proposal_noises(task, stream_of(device)));
  kernels::cpu::draw_proposal_noises(task);
}

namespace {

RowSums allocate_sums(std::int64_t rows, std::int64_t width, torch::Device device) {
  const auto options = torch::TensorOptions().device(device);
  return {torch::empty({rows}, options.dtype(torch::kInt64)),
          torch::empty({rows, width}, options.dtype(torch::kFloat32))};
}

#ifdef CANE_TORCH_CUDA
RowSums sum_rows_on_cuda(const kernels::RowSumArguments& task, torch::Device device) {
  const std::int64_t most = std::min(task.entries(), task.classes);
  RowSums sums = allocate_sums(most, task.width, device);
  const torch::Tensor scratch = torch::empty(
      {static_cast<std::int64_t>(kernels::cuda::row_sum_scratch_bytes(task.entries()))},
      torch::TensorOptions().device(device).dtype(torch::kUInt8));
  kernels::cuda::sum_rows(task, most, sums.rows.data_ptr<std::int64_t>(),
                          sums.values.data_ptr<float>(), scratch.data_ptr(),
                          static_cast<std::size_t>(scratch.numel()), stream_of(device));
  return sums;
}
#endif

}  // namespace

RowSums sum_rows(const kernels::RowSumArguments& task, torch::Device device) {
#ifdef CANE_TORCH_CUDA
  if (device.is_cuda()) return sum_rows_on_cuda(task, device);
#endif
  const kernels::cpu::ClassGroups groups = kernels::cpu::group_classes(task);
  RowSums sums = allocate_sums(static_cast<std::int64_t>(groups.rows.size()), task.width, device);
  std::copy(groups.rows.begin(), groups.rows.end(), sums.rows.data_ptr<std::int64_t>());
  kernels::cpu::sum_rows(task, groups, sums.values.data_ptr<float>());
  return sums;
}

}  // namespace cane::layer::on_device
