// Entries are sorted by row, rows are numbered by a scan over the places where a new row begins,
// and each warp sums a stretch of entries in registers. Several warps add to the same place only if
// a row spans several stretches.
#include "kernels/cuda/row_sums.h"

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/sorted_rows.cuh"

namespace cane::kernels::cuda {
namespace {

struct ClassRows {
  RowSumArguments task;
  __device__ std::int64_t key(std::int64_t entry) const { return task.id(entry); }
  __device__ const float* row(std::int64_t entry) const { return task.row(entry); }
  __device__ float scale(std::int64_t entry) const { return task.scale(entry); }
};

struct GivenRows {
  RowGradients given;
  __device__ std::int64_t key(std::int64_t entry) const { return given.rows[entry]; }
  __device__ const float* row(std::int64_t entry) const {
    return given.values + entry * given.width;
  }
  __device__ float scale(std::int64_t /*entry*/) const { return 1.0F; }
};

template <typename Source>
void sum(const Source& source, std::int64_t entries, const RowSumOutput& output, void* scratch,
         std::size_t scratch_bytes, cudaStream_t stream) {
  if (entries == 0) return;
  const SortedRows sorted = sorted_rows_in(scratch, scratch_bytes, entries);
  const auto places = static_cast<std::size_t>(output.places);
  cudaMemsetAsync(output.rows, 0xFF, places * sizeof(std::int64_t), stream);
  cudaMemsetAsync(output.values, 0, places * static_cast<std::size_t>(output.width) * sizeof(float),
                  stream);
  sort_rows(sorted, source, output.table_rows, stream);
  add_sorted_rows(sorted, source, output, stream);
}

}  // namespace

std::size_t row_sum_scratch_bytes(std::int64_t entries) {
  return sorted_row_bytes(entries);
}

void sum_rows(const RowSumArguments& task, std::int64_t most_rows, std::int64_t* rows,
              float* values, void* scratch, std::size_t scratch_bytes, cudaStream_t stream) {
  sum(ClassRows{task}, task.entries(), {most_rows, rows, values, task.width, task.classes}, scratch,
      scratch_bytes, stream);
  check_launch("sum_rows");
}

void sum_repeated_rows(const RowGradients& gradients, std::int64_t* rows, float* values,
                       void* scratch, std::size_t scratch_bytes, cudaStream_t stream) {
  sum(GivenRows{gradients}, gradients.count,
      {gradients.count, rows, values, gradients.width, gradients.table_rows}, scratch,
      scratch_bytes, stream);
  check_launch("sum_repeated_rows");
}

}  // namespace cane::kernels::cuda
