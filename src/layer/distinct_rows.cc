#include "layer/distinct_rows.h"

#ifdef CANE_TORCH_CUDA
#include <c10/cuda/CUDAStream.h>

#include "kernels/cuda/row_sums.h"
#endif

namespace cane::layer {
namespace {

RowGradient by_sorting(const RowGradient& gradient) {
  const auto [sorted, order] = gradient.rows.sort(/*stable=*/true, 0, false);
  const torch::Tensor begins = (sorted.slice(0, 1) != sorted.slice(0, 0, -1)).to(torch::kInt64);
  const torch::Tensor place = torch::constant_pad_nd(begins.cumsum(0), {1, 0});
  RowGradient distinct;
  distinct.table = gradient.table;
  distinct.values = torch::zeros_like(gradient.values)
                        .index_add_(0, place, gradient.values.index_select(0, order));
  distinct.rows = torch::full_like(gradient.rows, -1).scatter_(0, place, sorted);
  distinct.distinct = true;
  return distinct;
}

#ifdef CANE_TORCH_CUDA
RowGradient by_kernels(const RowGradient& gradient) {
  const torch::Tensor values = gradient.values.contiguous();
  const RowGradient distinct{gradient.table, torch::empty_like(gradient.rows),
                             torch::empty_like(values), true};
  kernels::cuda::RowGradients given;
  given.count = values.size(0);
  given.width = values.size(1);
  given.table_rows = gradient.table.size(0);
  given.rows = gradient.rows.data_ptr<std::int64_t>();
  given.values = values.data_ptr<float>();
  const auto bytes = static_cast<std::int64_t>(kernels::cuda::row_sum_scratch_bytes(given.count));
  const torch::Tensor scratch = torch::empty({bytes}, values.options().dtype(torch::kUInt8));
  kernels::cuda::sum_repeated_rows(
      given, distinct.rows.data_ptr<std::int64_t>(), distinct.values.data_ptr<float>(),
      scratch.data_ptr(), static_cast<std::size_t>(bytes),
      c10::cuda::getCurrentCUDAStream(values.device().index()).stream());
  return distinct;
}
#endif

}  // namespace

RowGradient with_distinct_rows(const RowGradient& gradient) {
  if (gradient.distinct || gradient.rows.size(0) < 2) return gradient;
#ifdef CANE_TORCH_CUDA
  if (gradient.rows.is_cuda()) return by_kernels(gradient);
#endif
  return by_sorting(gradient);
}

}  // namespace cane::layer
