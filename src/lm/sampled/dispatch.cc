#include "lm/sampled/dispatch.h"

#include <algorithm>

#include "lm/sampled/cpu/kernels.h"

#ifdef CANE_LM_CUDA
#include <c10/cuda/CUDAStream.h>

#include "lm/sampled/cuda/kernels.h"
#include "lm/sampled/cuda/row_sums.h"
#endif

namespace cane::lm::on_device {
namespace {

#ifdef CANE_LM_CUDA
cudaStream_t stream_of(torch::Device device) {
  return c10::cuda::getCurrentCUDAStream(device.index()).stream();
}
#define CANE_LM_ON_CUDA(call) return cuda::call
#else
#define CANE_LM_ON_CUDA(call) TORCH_CHECK(false, "built without CUDA")
#endif

}  // namespace

void draw_shared_noises(const DrawArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_LM_ON_CUDA(draw_shared_noises(task, stream_of(device)));
  cpu::draw_shared_noises(task);
}

void draw_token_noises(const DrawArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_LM_ON_CUDA(draw_token_noises(task, stream_of(device)));
  cpu::draw_token_noises(task);
}

void draw_subset_candidates(const SubsetArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_LM_ON_CUDA(draw_subset_candidates(task, stream_of(device)));
  cpu::draw_subset_candidates(task);
}

std::int64_t collect_batch_words(const BatchWordArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_LM_ON_CUDA(collect_batch_words(task, stream_of(device)));
  return cpu::collect_batch_words(task);
}

void forget_batch_words(const BatchWordArguments& task, std::int64_t count, torch::Device device) {
  if (device.is_cuda()) CANE_LM_ON_CUDA(forget_batch_words(task, count, stream_of(device)));
  cpu::forget_batch_words(task, count);
}

void assemble(const AssembleArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_LM_ON_CUDA(assemble(task, stream_of(device)));
  cpu::assemble(task);
}

void assemble_labels(const AssembleArguments& task, bool excludes_label, torch::Device device) {
  if (device.is_cuda()) CANE_LM_ON_CUDA(assemble_labels(task, excludes_label, stream_of(device)));
  cpu::assemble_labels(task, excludes_label);
}

void objective(Method kind, std::uint32_t words, const ObjectiveArguments& task,
               torch::Device device) {
  if (device.is_cuda()) CANE_LM_ON_CUDA(objective(kind, words, task, stream_of(device)));
  cpu::objective(kind, words, task);
}

void gather_dot(const GatherArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_LM_ON_CUDA(gather_dot(task, stream_of(device)));
  cpu::gather_dot(task);
}

void gather_back(const GatherArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_LM_ON_CUDA(gather_back(task, stream_of(device)));
  cpu::gather_back(task);
}

void add_path_scores(const PathArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_LM_ON_CUDA(add_path_scores(task, stream_of(device)));
  cpu::add_path_scores(task);
}

void sum_path_gradients(const PathArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_LM_ON_CUDA(sum_path_gradients(task, stream_of(device)));
  cpu::sum_path_gradients(task);
}

void widen(const WidenArguments& task, torch::Device device) {
  if (device.is_cuda()) CANE_LM_ON_CUDA(widen(task, stream_of(device)));
  cpu::widen(task);
}

namespace {

RowSums allocate_sums(std::int64_t rows, std::int64_t width, torch::Device device) {
  const auto options = torch::TensorOptions().device(device);
  return {torch::empty({rows}, options.dtype(torch::kInt64)),
          torch::empty({rows, width}, options.dtype(torch::kFloat32))};
}

#ifdef CANE_LM_CUDA
RowSums sum_rows_on_cuda(const RowSumArguments& task, torch::Device device) {
  const std::int64_t most = std::min(task.entries(), task.words);
  RowSums sums = allocate_sums(most, task.width, device);
  const torch::Tensor scratch =
      torch::empty({static_cast<std::int64_t>(cuda::row_sum_scratch_bytes(task.entries()))},
                   torch::TensorOptions().device(device).dtype(torch::kUInt8));
  cuda::sum_rows(task, most, sums.rows.data_ptr<std::int64_t>(), sums.values.data_ptr<float>(),
                 scratch.data_ptr(), static_cast<std::size_t>(scratch.numel()), stream_of(device));
  return sums;
}
#endif

}  // namespace

RowSums sum_rows(const RowSumArguments& task, torch::Device device) {
#ifdef CANE_LM_CUDA
  if (device.is_cuda()) return sum_rows_on_cuda(task, device);
#endif
  const cpu::WordGroups groups = cpu::group_words(task);
  RowSums sums = allocate_sums(static_cast<std::int64_t>(groups.rows.size()), task.width, device);
  std::copy(groups.rows.begin(), groups.rows.end(), sums.rows.data_ptr<std::int64_t>());
  cpu::sum_rows(task, groups, sums.values.data_ptr<float>());
  return sums;
}

}  // namespace cane::lm::on_device
